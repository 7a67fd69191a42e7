import type { Page } from 'playwright'
import { beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../../../scripts/ensure.mjs'
import { serviceToken } from '../../support/service.ts'
import { axeFaults, openDialog } from '../support/axe.ts'
import { canRun, connectPart, hasClient, type Language, runSnippet } from '../support/connect.ts'
import { eventually, patience } from '../support/console.ts'
import { withConnect } from '../support/fixtures/connect.ts'
import { promptPage } from '../support/pages/prompts.ts'

describe('connect your app', { timeout: patience }, () => {
  const { shared, open, clients } = withConnect()
  const chat = `support/"it's" {answer}`
  const text = 'support/text'
  beforeAll(async () => {
    await shared.console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
    const client = shared.console.server.client()
    const place = { env: 'test' as const, workspace_id: 'team-blue' }
    const messages = [
      { role: 'system' as const, content: 'You help {{customer.name}}.' },
      { placeholder: 'history' },
      { role: 'user' as const, content: 'Why?' },
    ]
    await client.prompts.create({ body: { key: chat, ...place, messages } })
    await client.prompts.create({ body: { key: text, ...place, content: 'Hi {{name}}' } })
    await ensure(['sdk'])
  })

  const openInTeam = async () => {
    const opened = await open()
    const { page, part } = opened
    await part.namespace('test').click()
    await part.dialog.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'Team Blue' }).click()
    return opened
  }
  const choose = async (part: ReturnType<typeof connectPart>, page: Page, key: string) => {
    await part.dialog.getByRole('combobox', { name: 'Prompt' }).click()
    await page.getByRole('option', { name: key, exact: true }).click()
  }
  const runs = async (key: string): Promise<number> => {
    const query = `workspace=team-blue&ref_key=${encodeURIComponent(key)}&limit=1`
    return (await shared.console.server.call(`GET /api/runs?${query}`)).body.total
  }
  /** Runs a snippet until it has printed all patterns, is the only client and has logged a run, and stops it. */
  const expectConnected = async (
    { language, app, type }: (typeof languages)[number],
    code: string,
    key: string,
    ...shown: RegExp[]
  ) => {
    const before = await runs(key)
    const program = await runSnippet(language, code, serviceToken)
    for (const pattern of shown) await eventually(program.output).toMatch(pattern)
    await eventually(clients).toMatchObject([{ app, client_type: type, workspace: 'team-blue' }])
    await eventually(() => runs(key)).toBe(before + 1)
    await program.stop()
    await eventually(async () => (await clients()).length).toBe(0)
  }

  const languages = [
    { language: 'Node', app: 'my-node-app', type: 'node-sdk' },
    { language: 'Python', app: 'my-python-app', type: 'python-sdk' },
    { language: 'Java', app: 'my-java-app', type: 'java-sdk' },
  ] as const
  for (const row of languages) {
    const { language } = row
    it.skipIf(!canRun(language))(
      `runs the ${language} snippet: a chosen chat or text is fetched, a run is logged, the app connects`,
      async () => {
        const { page, part, close } = await openInTeam()
        const hello = /"type":"hello"/
        const code = await part.copy(language)
        expect(code).toContain(shared.console.server.url)
        await expectConnected(row, code, 'greet', /^201 /m, hello)
        await choose(part, page, chat)
        const ofChat = await part.copy(language)
        const messages = /200[\s\S]*You help \{\{customer\.name\}\}\.[\s\S]*history/
        await expectConnected(row, ofChat, chat, messages, hello)
        await choose(part, page, text)
        const ofText = await part.copy(language)
        // The same program in Java, which starts slowly.
        if (language !== 'Java') await expectConnected(row, ofText, text, /200[\s\S]*Hi \{\{name\}\}/, hello)
        else expect(ofText.match(/http\.send|println.*/g)).toEqual(ofChat.match(/http\.send|println.*/g))
        await close()
      },
    )

    it.skipIf(!hasClient(language))(
      `runs the ${language} snippet with the client package: a chosen chat or text is rendered, a run is logged`,
      async () => {
        const { page, part, close } = await openInTeam()
        await part.dialog.getByRole('switch', { name: 'Use the SDK' }).check()
        for (const [key, shown] of [
          [chat, /You help <customer\.name>\.[\s\S]*Why\?/],
          [text, /Hi <name>/],
        ] as const) {
          await choose(part, page, key)
          await expectConnected(row, await part.copy(language), key, /connected/, shown)
        }
        await close()
      },
    )
  }

  it.skipIf(!canRun('curl'))(
    'runs the curl snippet, which fetches a chosen chat and logs a run',
    async () => {
      const { page, part, close } = await openInTeam()
      for (const [key, fetched] of [
        ['greet', '"ref_key":"greet"'],
        [chat, '"messages":['],
      ] as const) {
        if (key === chat) await choose(part, page, key)
        const program = await runSnippet('curl', await part.copy('curl'), serviceToken)
        await eventually(program.output).toContain(fetched)
        await eventually(program.output).toContain('"ref_key":')
        await program.stop()
      }
      await close()
    },
  )

  it('is preset on the page of a prompt, and reported where it is not published', async () => {
    const { data } = await shared.console.server.client().prompts.list({ query: { key: chat } })
    const { page } = await shared.open(promptPage, `${data[0]?.id}?tab=clients`)
    await page.getByRole('button', { name: 'Connect an app' }).click()
    const part = connectPart(page)
    await part.dialog.getByRole('switch', { name: 'Use the SDK' }).check()
    await part.code('Node').getByText('renderMessages').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    const node = await part.copy('Node')
    expect(node).toContain('client.renderMessages(')
    expect(node).toContain('namespace: "test"')
    expect(await part.copy('Python')).toContain('client.render_messages(')
    expect(await part.copy('Java')).toContain('import dev.promptdeck.Message;')
    await part.namespace('prod').click()
    await part.dialog.getByText('Not published in prod').waitFor()
    expect(await part.copy('Node')).not.toContain('renderMessages')
    await page.keyboard.press('Escape')
    await part.dialog.waitFor({ state: 'detached' })
  })

  it('shows switches, selected tabs and the current page in forced colors, passes axe, and fits 640 px', async () => {
    const { page, part, close, faults } = await open()
    await page.emulateMedia({ forcedColors: 'active' })
    const style = (selector: string, property: string) =>
      page
        .locator(selector)
        .last()
        .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property)
    const selected = ['[role="tab"][aria-selected="true"]', 'label[data-active]', 'nav [aria-current="page"]']
    const colors = await Promise.all(selected.map((selector) => style(selector, 'background-color')))
    expect(new Set(colors).size).toBe(1)
    expect(colors[0]).not.toBe(await style('[role="tab"][aria-selected="false"]', 'background-color'))
    expect(await style('.mantine-Switch-track', 'border-top-width')).toBe('1px')
    await page.emulateMedia({ forcedColors: 'none' })

    await page.setViewportSize({ width: 640, height: 900 })
    for (const language of ['curl', 'Node', 'Python', 'Java', 'WebSocket'] satisfies Language[]) {
      await part.tab(language).click()
      await part.code(language).waitFor()
    }
    await part.mcpTab.click()
    await part.dialog.getByRole('region', { name: 'Claude Code' }).waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await close()
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(faults).toEqual([])
  })
})
