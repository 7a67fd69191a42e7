import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { gatewayProtocols } from '../../../../contract/gateway/gateway.ts'
import { providerKey } from '../gateway-support.ts'
import { call, chat, gateway, hello, idOf, setUpGateway } from './calls-support.ts'

setUpGateway()

describe('errors of the service', () => {
  it.each([
    [
      'openai',
      {
        error: {
          message: expect.any(String),
          type: 'authentication_error',
          param: null,
          code: 'auth.required',
        },
      },
    ],
    [
      'anthropic',
      {
        type: 'error',
        error: { type: 'authentication_error', message: expect.any(String) },
        request_id: expect.any(String),
      },
    ],
    ['gemini', { error: { code: 401, message: expect.any(String), status: 'UNAUTHENTICATED' } }],
    ['ollama', { error: expect.any(String) }],
  ] as const)('have the form of %s', async (name, expected) => {
    const { base } = gatewayProtocols[name]
    const reply = await call(`${base}/anything`, { token: null })
    expect(reply.status).toBe(401)
    expect(await reply.json()).toEqual(expected)
  })

  it('name an unknown path, and the methods of a known one', async () => {
    expect((await call('/gateway/openai/v1/nothing')).status).toBe(404)
    const reply = await call('/gateway/openai/v1/models', { body: {} })
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET'])
    expect((await call('/gateway/unknown/v1/x')).status).toBe(404)
  })

  it.each([
    [{ 'promptdeck-provider': 'nobody' }, 'provider nobody does not exist'],
    [{ 'promptdeck-provider': 'gemini' }, 'does not use the protocol'],
    [{ 'promptdeck-env': 'stage' }, 'Promptdeck-Env'],
    [{ 'promptdeck-prompt': 'greet@3' }, 'Promptdeck-Prompt'],
    [{ 'promptdeck-tags': 'x'.repeat(65) }, 'Promptdeck-Tags'],
  ])('name the header of %j', async (headers, message) => {
    const reply = await call(chat, { headers: headers as Record<string, string> })
    expect(reply.status).toBe(400)
    expect((await reply.json()).error.message).toContain(message)
    expect(gateway.models.seen).toHaveLength(0)
  })

  it('refuse a body that is too large, with and without a length', async () => {
    const body = JSON.stringify({ ...hello, padding: 'x'.repeat(1024 * 1024) })
    const reply = await call(chat, { body })
    expect(reply.status).toBe(413)
    const req = request(`${gateway.server.url}${chat}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'transfer-encoding': 'chunked' },
    })
    req.on('error', () => undefined)
    req.end(body)
    const [res] = await once(req, 'response')
    expect(res.statusCode).toBe(413)
    expect(gateway.models.seen).toHaveLength(0)
  })

  it('state what is wrong with a provider that cannot be called, and are in the run log', async () => {
    const set = (body: object) => gateway.server.call('PATCH /api/providers/openai', { body })
    await set({ enabled: false })
    const disabled = await call()
    expect(disabled.status).toBe(503)
    expect(disabled.headers.get('x-should-retry')).toBe('false')
    expect((await disabled.json()).error.message).toContain('disabled')
    expect(await gateway.run(idOf(disabled))).toMatchObject({ error_type: 'not_configured' })
    // Nothing listens on port 1.
    await set({ enabled: true, base_url: 'http://127.0.0.1:1/v1', api_key: providerKey })
    const unreachable = await call()
    expect(unreachable.status).toBe(502)
    expect(await gateway.run(idOf(unreachable))).toMatchObject({ status: 'error', error_type: 'unreachable' })
    await set({ base_url: `${gateway.models.url}/v1`, api_key: providerKey })
    expect((await call()).status).toBe(200)
  })
})
