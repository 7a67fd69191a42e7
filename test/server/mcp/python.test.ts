import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { hasPython, runPython } from '../../support/python/python.ts'
import { serviceToken } from '../../support/service.ts'
import { server, setUpService } from '../file-service.ts'

const script = fileURLToPath(new URL('clients/client.py', import.meta.url))

setUpService(async () => {
  const body = { key: 'billing/greet', env: 'prod', content: 'Hello {{who}}' }
  expect((await server.call('POST /api/prompts', { body })).status).toBe(201)
})

describe.runIf(await hasPython('mcp.client'))('the official Python client', () => {
  it('lists, gets and runs prompts', async () => {
    const { stdout } = await runPython([script], {
      MCP_URL: `${server.url}/mcp`,
      PROMPTDECK_TOKEN: serviceToken,
    })
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
