import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { describe, expect, it } from 'vitest'
import { startModelServer } from '../../support/model-server/server.ts'
import { serviceToken } from '../../support/service.ts'
import { axeFaults, openDialog } from '../support/axe.ts'
import { runSnippet } from '../support/connect.ts'
import { eventually, patience } from '../support/console.ts'
import { withConnect } from '../support/fixtures/connect.ts'
import { problem } from '../support/pages/runs.ts'

/** An app that reads everything from the environment, like one with an SDK of OpenTelemetry. */
const app = `
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector } from '@opentelemetry/resources'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
const provider = new BasicTracerProvider({
  resource: detectResources({ detectors: [envDetector] }),
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
})
const attributes = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'gpt-4o',
}
provider.getTracer('app').startSpan('chat gpt-4o', { attributes }).end()
await provider.shutdown()
`

describe('connect your app', { timeout: patience }, () => {
  const { shared, open, clients } = withConnect()

  it('runs the WebSocket snippet with the token inserted, and shows it only then', async () => {
    const viewer = (await shared.console.server.signedIn('viewer')).token
    const { page, part, close } = await open(viewer)
    expect(await page.content()).not.toContain(viewer)
    await part.namespace('test').click()
    await part.dialog.getByRole('switch', { name: 'Insert a working token' }).check()
    await part.dialog.getByText('This is your session token.').waitFor()
    const program = await runSnippet('WebSocket', await part.copy('WebSocket'), '')
    await eventually(program.output).toContain('"type":"hello"')
    await eventually(async () => (await clients()).map((client) => client.app)).toEqual(['my-page'])
    await program.stop()
    await close()
  })

  it('creates a token for that environment, with which the snippet works until it is revoked', async () => {
    const { page, part, close } = await open()
    await part.namespace('test').click()
    const create = part.dialog.getByRole('button', { name: 'Create API token' })
    await create.evaluate((button: HTMLElement) => {
      button.click()
      button.click()
    })
    await part.dialog.getByText('The snippets contain a new API token').waitFor()
    expect(await create.isDisabled()).toBe(true)
    const [token, ...others] = (await shared.console.server.call('GET /api/tokens')).body.data
    expect(others).toEqual([])
    expect(token).toMatchObject({ role: 'viewer', namespaces: ['test'], name: 'App in test of default' })
    const program = await runSnippet('WebSocket', await part.copy('WebSocket'), '')
    await eventually(async () => (await clients()).map((client) => client.app)).toEqual(['my-page'])
    await shared.console.server.call(`DELETE /api/tokens/${token.id}`)
    await eventually(program.output).toContain('closed 4401')
    await program.stop()
    // It would be rejected for another environment: the snippet uses the environment variable again.
    await part.namespace('prod').click()
    expect(await part.copy('WebSocket')).toContain('"PROMPTDECK_TOKEN"')
    expect(await create.isEnabled()).toBe(true)
    await page.keyboard.press('Escape')
    await part.dialog.waitFor({ state: 'detached' })
    await close()
  })

  it('connects an MCP client with the copied configuration and a new token', async () => {
    const body = { key: 'for/mcp', env: 'test', content: 'Hi {{name}}' } as const
    await shared.console.server.client().prompts.create({ body })
    const { part, close } = await open()
    await part.namespace('test').click()
    await part.mcpTab.click()
    const address = `${shared.console.server.url}/mcp?workspace=default&env=test`
    expect(await part.copyMcp('Claude Code')).toContain(`"${address}"`)
    expect(await part.copyMcp('Codex')).toContain('bearer_token_env_var = "PROMPTDECK_TOKEN"')
    const { inputs, servers } = JSON.parse(await part.copyMcp('VS Code'))
    expect(servers.promptdeck).toMatchObject({ type: 'http', url: address })
    expect(servers.promptdeck.headers.Authorization).toBe(`Bearer \${input:${inputs[0].id}}`)
    await part.dialog.getByRole('button', { name: 'Create API token' }).click()
    await part.dialog.getByText('The snippets contain a new API token').waitFor()
    const { mcpServers } = JSON.parse(await part.copyMcp('Other'))
    const { url, headers } = mcpServers.promptdeck
    const client = new Client({ name: 'copied', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } })
    await client.connect(transport as unknown as Transport)
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('for/mcp')
    await client.close()
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

  it('gives the variables with which an exporter of OpenTelemetry sends a run to the chosen place', async () => {
    await shared.console.server.call('POST /api/workspaces', { body: { name: 'Team Blue' } })
    const { page, part, close } = await open()
    await part.namespace('test').click()
    await part.dialog.getByRole('combobox', { name: 'Workspace' }).click()
    await page.getByRole('option', { name: 'Team Blue' }).click()
    await part.dialog.getByRole('tab', { name: 'OpenTelemetry', exact: true }).click()
    await part.dialog.getByRole('region', { name: 'OpenTelemetry', exact: true }).waitFor()
    expect(await axeFaults(page, openDialog)).toEqual([])
    const variables = await part.copy('OpenTelemetry')
    expect(variables).toContain(`endpoint = "${shared.console.server.url}/v1/logs"`)
    const shell = `${variables}\nexec "$0" --input-type=module --eval "$1"`
    await promisify(execFile)('sh', ['-c', shell, process.execPath, app], {
      cwd: fileURLToPath(new URL('../../../', import.meta.url)),
      env: { ...process.env, PROMPTDECK_TOKEN: serviceToken },
    })
    const { body } = await shared.console.server.call('GET /api/runs?source=otel&workspace=team-blue')
    expect(body.data).toMatchObject([{ app: 'my-app', env: 'test', model: 'gpt-4o', status: 'ok' }])
    await close()
  })
})
