import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceToken, startTestServer, type TestServer } from '../../support/service.ts'

const script = fileURLToPath(new URL('clients/client.py', import.meta.url))
const packages = fileURLToPath(new URL('../../../.cache/python', import.meta.url))

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
  const body = { key: 'billing/greet', env: 'prod', content: 'Hello {{who}}' }
  expect((await server.call('POST /api/prompts', { body })).status).toBe(201)
})
afterAll(() => server.close())

/** `.ci/run` installs the client, so a missing one fails there. */
const canRun = async (): Promise<boolean> =>
  Boolean(process.env['CI']) ||
  run(['-c', 'import mcp.client']).then(
    () => true,
    () => false,
  )

const run = (args: readonly string[]) =>
  promisify(execFile)('python3', [...args], {
    env: {
      ...process.env,
      PYTHONPATH: process.env['PYTHONPATH'] ?? packages,
      MCP_URL: `${server?.url}/mcp`,
      PROMPTDECK_TOKEN: serviceToken,
    },
  })

describe.runIf(await canRun())('the official Python client', () => {
  it('lists, gets and runs prompts', async () => {
    const { stdout } = await run([script])
    expect(JSON.parse(stdout)).toEqual({
      prompts: ['default/prod/billing/greet'],
      text: 'Hello Ada',
      run: 'ok',
      is_error: false,
    })
    const { data } = (await server.call('GET /api/runs')).body
    expect(data).toHaveLength(1)
  })
})
