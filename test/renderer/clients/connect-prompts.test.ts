import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../../../scripts/ensure.mjs'
import { serviceToken } from '../../support/service.ts'
import { axeFaults, openDialog } from '../support/axe.ts'
import { canRun, connectPart, hasClient, runSnippet } from '../support/connect.ts'
import { eventually, patience } from '../support/console.ts'
import { withConnect } from '../support/fixtures/connect.ts'
import { promptPage } from '../support/pages/prompts.ts'

describe('connect your app', { timeout: patience }, () => {
  const { shared, open } = withConnect()
  beforeAll(() => ensure(['sdk']))

  describe('with a chosen prompt', () => {
    const chat = `support/"it's" {answer}`
    beforeAll(async () => {
      const client = shared.console.server.client()
      const messages = [
        { role: 'system' as const, content: 'You help {{customer.name}}.' },
        { placeholder: 'history' },
        { role: 'user' as const, content: 'Why?' },
      ]
      await client.prompts.create({ body: { key: chat, env: 'test', messages } })
      await client.prompts.create({ body: { key: 'support/text', env: 'test', content: 'Hi {{name}}' } })
    })
    const choose = async (part: ReturnType<typeof connectPart>, page: Page, key: string) => {
      await part.namespace('test').click()
      await part.dialog.getByRole('combobox', { name: 'Prompt' }).click()
      await page.getByRole('option', { name: key, exact: true }).click()
    }

    for (const language of ['Node', 'Python', 'Java'] as const) {
      it.skipIf(!canRun(language))(`the ${language} snippet fetches a chat or a text`, async () => {
        const { page, part, close } = await open()
        for (const [key, shown] of [
          [chat, /200[\s\S]*You help \{\{customer\.name\}\}\.[\s\S]*history/],
          ['support/text', /200[\s\S]*Hi \{\{name\}\}/],
        ] as const) {
          await choose(part, page, key)
          const program = await runSnippet(language, await part.copy(language), serviceToken)
          await eventually(program.output).toMatch(shown)
          await eventually(program.output).toContain('"type":"hello"')
          await program.stop()
        }
        const runs = await shared.console.server.call(
          `GET /api/runs?ref_key=${encodeURIComponent(chat)}&limit=1`,
        )
        expect(runs.body.total).toBeGreaterThan(0)
        await close()
      })

      it.skipIf(!hasClient(language))(`the ${language} SDK renders the messages of a chat`, async () => {
        const { page, part, close } = await open()
        await part.dialog.getByRole('switch', { name: 'Use the SDK' }).check()
        for (const [key, shown] of [
          [chat, /You help <customer\.name>\.[\s\S]*Why\?/],
          ['support/text', /Hi <name>/],
        ] as const) {
          await choose(part, page, key)
          const program = await runSnippet(language, await part.copy(language), serviceToken)
          await eventually(program.output).toMatch(shown)
          await program.stop()
        }
        await close()
      })
    }

    it.skipIf(!canRun('curl'))('the curl snippet fetches the chat', async () => {
      const { page, part, close } = await open()
      await choose(part, page, chat)
      const program = await runSnippet('curl', await part.copy('curl'), serviceToken)
      await eventually(program.output).toContain('"messages":[')
      await eventually(program.output).toContain('"ref_key":')
      await program.stop()
      await close()
    })

    it('is preset on the page of a prompt, and reported where it is not published', async () => {
      const { data } = await shared.console.server.client().prompts.list({ query: { key: chat } })
      const { page } = await shared.open(promptPage, `${data[0]?.id}?tab=clients`)
      await page.getByRole('button', { name: 'Connect an app' }).click()
      const part = connectPart(page)
      await part.dialog.getByRole('switch', { name: 'Use the SDK' }).check()
      await part.code('Node').getByText('renderMessages').waitFor()
      expect(await axeFaults(page, openDialog)).toEqual([])
      expect(await part.copy('Node')).toContain('client.renderMessages(')
      expect(await part.copy('Node')).toContain('namespace: "test"')
      expect(await part.copy('Python')).toContain('client.render_messages(')
      expect(await part.copy('Java')).toContain('import dev.promptdeck.Message;')
      await part.namespace('prod').click()
      await part.dialog.getByText('Not published in prod').waitFor()
      expect(await part.copy('Node')).not.toContain('renderMessages')
    })
  })
})
