import { beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../../../scripts/ensure.mjs'
import { startModelServer } from '../../support/model-server/server.ts'
import { serviceToken } from '../../support/service.ts'
import { axeFaults, openDialog } from '../support/axe.ts'
import { canRun, hasClient, type Language, runSnippet } from '../support/connect.ts'
import { eventually, patience } from '../support/console.ts'
import { withConnect } from '../support/fixtures/connect.ts'

describe('connect your app', { timeout: patience }, () => {
  const { shared, open, clients } = withConnect()
  beforeAll(async () => {
    await shared.console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
    await ensure(['sdk'])
  })

  const languages = [
    { language: 'Node', app: 'my-node-app', type: 'node-sdk' },
    { language: 'Python', app: 'my-python-app', type: 'python-sdk' },
    { language: 'Java', app: 'my-java-app', type: 'java-sdk' },
  ] as const
  for (const { language, app, type } of languages) {
    it.skipIf(!canRun(language))(
      `runs the ${language} snippet: a run is logged, the app connects`,
      async () => {
        const { page, part, close } = await open()
        await part.namespace('test').click()
        await part.dialog.getByRole('combobox', { name: 'Workspace' }).click()
        await page.getByRole('option', { name: 'Team Blue' }).click()
        const code = await part.copy(language)
        expect(code).toContain(shared.console.server.url)
        const runs = async () =>
          (await shared.console.server.call('GET /api/runs?workspace=team-blue&ref_key=greet')).body
            .total as number
        const before = await runs()
        const program = await runSnippet(language, code, serviceToken)
        await eventually(async () => `${(await clients()).length} ${program.output()}`).toMatch(/^1 201 /)
        expect(await clients()).toMatchObject([{ app, client_type: type, workspace: 'team-blue' }])
        expect(await runs()).toBe(before + 1)
        await eventually(program.output).toContain('"type":"hello"')
        await program.stop()
        await eventually(async () => (await clients()).length).toBe(0)
        await close()
      },
    )
  }

  it('shows switches, selected tabs and the current page in forced colors', async () => {
    const { page, close } = await open()
    await page.emulateMedia({ forcedColors: 'active' })
    const style = (selector: string, property: string) =>
      page
        .locator(selector)
        .last()
        .evaluate((part, name) => getComputedStyle(part).getPropertyValue(name), property)
    const selected = ['[role="tab"][aria-selected="true"]', 'label[data-active]', 'nav [aria-current="page"]']
    const colors = await Promise.all(selected.map((selector) => style(selector, 'background-color')))
    expect(new Set(colors).size).toBe(1)
    expect(colors[0]).not.toBe(await style('[role="tab"][aria-selected="false"]', 'background-color'))
    expect(await style('.mantine-Switch-track', 'border-top-width')).toBe('1px')
    await close()
  })

  for (const { language, app, type } of languages) {
    it.skipIf(!hasClient(language))(
      `runs the ${language} snippet with the client package: a run is logged, the app connects`,
      async () => {
        const { part, close } = await open()
        await part.namespace('test').click()
        await part.dialog.getByRole('switch', { name: 'Use the SDK' }).check()
        const code = await part.copy(language)
        const runs = async () =>
          (await shared.console.server.call('GET /api/runs?ref_key=greet')).body.total as number
        const before = await runs()
        const program = await runSnippet(language, code, serviceToken)
        await eventually(program.output).toContain('connected')
        expect(await clients()).toMatchObject([{ app, client_type: type, workspace: 'default' }])
        await eventually(runs).toBe(before + 1)
        await program.stop()
        await eventually(async () => (await clients()).length).toBe(0)
        await close()
      },
    )
  }

  it('runs the snippets of the gateway with a new token: each call is a run', async () => {
    const models = await startModelServer({ key: 'sk-any-key' })
    await shared.console.server.call('PATCH /api/providers/claude', {
      body: { base_url: `${models.url}/v1`, local: true, api_key: 'sk-any-key' },
    })
    const { page, part, close } = await open()
    await part.namespace('test').click()
    await part.copyGateway('Codex')
    await part.dialog.getByText('Set PROMPTDECK_TOKEN to an API token').waitFor()
    await part.dialog.getByRole('button', { name: 'Create gateway token' }).click()
    await part.dialog.getByText('The snippet contains a new API token').waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    // Those for OpenAI need no key.
    for (const [client, language, output] of [
      ['curl through the gateway', 'curl', 'mock completion (mock-small): Hello'],
      ['OpenAI (Node)', 'Node', 'mock completion (mock-small): Hello'],
      ['Anthropic (Node)', 'Node', 'You said: Hello'],
    ] as const) {
      const program = await runSnippet(language, await part.copyGateway(client), 'no-token')
      await eventually(program.output).toContain(output)
      await program.stop()
    }
    const runs = async () => (await shared.console.server.call('GET /api/runs?source=gateway')).body
    await eventually(async () => (await runs()).total).toBe(3)
    expect((await runs()).data[0]).toMatchObject({ env: 'test', workspace_id: 'default', status: 'ok' })
    await close()
    await models.close()
  })

  it.skipIf(!canRun('curl'))('runs the curl snippet', async () => {
    const { part, close } = await open()
    const program = await runSnippet('curl', await part.copy('curl'), serviceToken)
    await eventually(program.output).toContain('"ref_key":"greet"')
    await program.stop()
    await close()
  })

  it('passes axe with every language, and fits 640 px', async () => {
    const { page, part, close, faults } = await open(undefined, { width: 640 })
    for (const language of ['curl', 'Node', 'Python', 'Java', 'WebSocket'] satisfies Language[]) {
      await part.tab(language).click()
      await part.code(language).waitFor()
    }
    await part.mcpTab.click()
    await part.dialog.getByRole('region', { name: 'Claude Code' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    await page.keyboard.press('Escape')
    await part.dialog.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await close()
  })
})
