import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensure } from '../../../scripts/ensure.mjs'
import { startModelServer } from '../../support/model-server/server.ts'
import { serviceToken } from '../../support/service.ts'
import { axeFaults } from '../support/axe.ts'
import { allowClipboard } from '../support/clipboard.ts'
import { canRun, connectPart, hasClient, type Language, runSnippet } from '../support/connect.ts'
import { type Console, eventually, openConsole, patience } from '../support/console.ts'
import { problem } from '../support/pages/runs.ts'
import { shell } from '../support/shell.ts'
import { openPath } from '../support/warm.ts'

describe('connect your app', { timeout: patience }, () => {
  let console: Console
  let admin: string
  beforeAll(async () => {
    console = await openConsole()
    admin = (await console.server.signedIn('admin')).token
    await console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
    await ensure(['sdk'])
  })
  afterAll(() => console.close())

  const open = async (view = {}, token = admin) => {
    const { page, close, faults } = await console.visit(token, view)
    await allowClipboard(page)
    await openPath(page, '/clients')
    await shell(page).heading('Clients').waitFor()
    await page.getByRole('button', { name: 'Connect an app' }).first().click()
    const part = connectPart(page)
    await part.dialog.waitFor()
    return { page, close, faults, part }
  }
  const clients = async () =>
    (await console.server.call('GET /api/clients?namespace=test')).body.data as {
      app: string
      client_type: string
      workspace: string
    }[]

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
        expect(code).toContain(console.server.url)
        const runs = async () =>
          (await console.server.call('GET /api/runs?workspace=team-blue&ref_key=greet')).body.total as number
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

  for (const { language, app, type } of languages) {
    it.skipIf(!hasClient(language))(
      `runs the ${language} snippet with the client package: a run is logged, the app connects`,
      async () => {
        const { part, close } = await open()
        await part.namespace('test').click()
        await part.dialog.getByRole('switch', { name: 'Use the SDK' }).check()
        const code = await part.copy(language)
        const runs = async () =>
          (await console.server.call('GET /api/runs?ref_key=greet')).body.total as number
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
    await console.server.call('PATCH /api/providers/claude', {
      body: { base_url: `${models.url}/v1`, local: true, api_key: 'sk-any-key' },
    })
    const { page, part, close, faults } = await open()
    await part.namespace('test').click()
    await part.copyGateway('Codex')
    await part.dialog.getByText('Set PROMPTDECK_TOKEN to an API token').waitFor()
    await part.dialog.getByRole('button', { name: 'Create gateway token' }).click()
    await part.dialog.getByText('The snippet contains a new API token').waitFor()
    expect(await axeFaults(page)).toEqual([])
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
    const runs = async () => (await console.server.call('GET /api/runs?source=gateway')).body
    await eventually(async () => (await runs()).total).toBe(3)
    expect((await runs()).data[0]).toMatchObject({ env: 'test', workspace_id: 'default', status: 'ok' })
    expect(faults).toEqual([])
    await close()
    await models.close()
  })

  describe('with a chosen prompt', () => {
    const chat = `support/"it's" {answer}`
    beforeAll(async () => {
      const client = console.server.client()
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
        const runs = await console.server.call(`GET /api/runs?ref_key=${encodeURIComponent(chat)}&limit=1`)
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
      const { data } = await console.server.client().prompts.list({ query: { key: chat } })
      const { page, close, faults } = await console.visit(admin)
      await allowClipboard(page)
      await page.goto(`/prompts/${data[0]?.id}?tab=clients`)
      await page.getByRole('button', { name: 'Connect an app' }).click()
      const part = connectPart(page)
      await part.dialog.getByRole('switch', { name: 'Use the SDK' }).check()
      await part.code('Node').getByText('renderMessages').waitFor()
      expect(await axeFaults(page)).toEqual([])
      expect(await part.copy('Node')).toContain('client.renderMessages(')
      expect(await part.copy('Node')).toContain('namespace: "test"')
      expect(await part.copy('Python')).toContain('client.render_messages(')
      expect(await part.copy('Java')).toContain('import dev.promptdeck.Message;')
      await part.namespace('prod').click()
      await part.dialog.getByText('Not published in prod').waitFor()
      expect(await part.copy('Node')).not.toContain('renderMessages')
      expect(faults).toEqual([])
      await close()
    })
  })

  it.skipIf(!canRun('curl'))('runs the curl snippet', async () => {
    const { part, close } = await open()
    const program = await runSnippet('curl', await part.copy('curl'), serviceToken)
    await eventually(program.output).toContain('"ref_key":"greet"')
    await program.stop()
    await close()
  })

  it('runs the WebSocket snippet with the token inserted, and shows it only then', async () => {
    const viewer = (await console.server.signedIn('viewer')).token
    const { page, part, close } = await open({}, viewer)
    expect(await page.content()).not.toContain(viewer)
    await part.namespace('test').click()
    await part.dialog.getByRole('switch', { name: 'Insert a working token' }).check()
    await part.dialog.getByText('This is your session token.', { exact: false }).waitFor()
    const program = await runSnippet('WebSocket', await part.copy('WebSocket'), '')
    await eventually(program.output).toContain('"type":"hello"')
    await eventually(async () => (await clients()).map((client) => client.app)).toEqual(['my-page'])
    await program.stop()
    await close()
  })

  it('creates a token for that environment, with which the snippet works until it is revoked', async () => {
    const { page, part, close, faults } = await open()
    await part.namespace('test').click()
    const create = part.dialog.getByRole('button', { name: 'Create API token' })
    await create.click()
    await part.dialog.getByText('The snippets contain a new API token', { exact: false }).waitFor()
    expect(await create.isDisabled()).toBe(true)
    const [token] = (await console.server.call('GET /api/tokens')).body.data
    expect(token).toMatchObject({ role: 'viewer', namespaces: ['test'], name: 'App in test of default' })
    const program = await runSnippet('WebSocket', await part.copy('WebSocket'), '')
    await eventually(async () => (await clients()).map((client) => client.app)).toEqual(['my-page'])
    await console.server.call(`DELETE /api/tokens/${token.id}`)
    await eventually(program.output).toContain('closed 4401')
    await program.stop()
    // It would be rejected for another environment: the snippet uses the environment variable again.
    await part.namespace('prod').click()
    expect(await part.copy('WebSocket')).toContain('"PROMPTDECK_TOKEN"')
    expect(await create.isEnabled()).toBe(true)
    await page.keyboard.press('Escape')
    await part.dialog.waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await close()
  })

  it('connects an MCP client with the copied configuration and a new token', async () => {
    const body = { key: 'for/mcp', env: 'test', content: 'Hi {{name}}' } as const
    await console.server.client().prompts.create({ body })
    const { part, close, faults } = await open()
    await part.namespace('test').click()
    await part.mcpTab.click()
    const address = `${console.server.url}/mcp?workspace=default&env=test`
    expect(await part.copyMcp('Claude Code')).toContain(`"${address}"`)
    expect(await part.copyMcp('Codex')).toContain('bearer_token_env_var = "PROMPTDECK_TOKEN"')
    const { inputs, servers } = JSON.parse(await part.copyMcp('VS Code'))
    expect(servers.promptdeck).toMatchObject({ type: 'http', url: address })
    expect(servers.promptdeck.headers.Authorization).toBe(`Bearer \${input:${inputs[0].id}}`)
    await part.dialog.getByRole('button', { name: 'Create API token' }).click()
    await part.dialog.getByText('The snippets contain a new API token', { exact: false }).waitFor()
    const { mcpServers } = JSON.parse(await part.copyMcp('Other'))
    const { url, headers } = mcpServers.promptdeck
    const client = new Client({ name: 'copied', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    await client.connect(transport as unknown as Transport)
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('for/mcp')
    await client.close()
    expect(faults).toEqual([])
    await close()
  })

  it('shows why a token could not be created', async () => {
    const { page, part, close } = await open()
    await page.route('**/api/tokens', (route) =>
      route.fulfill(problem(507, 'store.full', 'The store is full')),
    )
    await part.dialog.getByRole('button', { name: 'Create API token' }).click()
    await part.dialog.getByRole('alert').getByText('The store is full').first().waitFor()
    expect(await part.copy('Node')).toContain('process.env.PROMPTDECK_TOKEN')
    await close()
  })

  it('passes axe with every language, and fits 640 px', async () => {
    const { page, part, close, faults } = await open({ width: 640 })
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
