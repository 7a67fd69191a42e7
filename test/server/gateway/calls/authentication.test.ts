import { describe, expect, it } from 'vitest'
import { providerKey } from '../gateway-support.ts'
import { call, chat, gateway, hello, idOf, setUpGateway } from './calls-support.ts'

setUpGateway()

describe('authentication', () => {
  it.each([
    ['Authorization', (token: string) => ({ authorization: `Bearer ${token}` })],
    ['x-api-key', (token: string) => ({ 'x-api-key': token })],
    ['x-goog-api-key', (token: string) => ({ 'x-goog-api-key': token })],
  ])('accepts a token in %s', async (_name, headersOf) => {
    const reply = await call(chat, { token: null, headers: headersOf(gateway.token) })
    expect(reply.status).toBe(200)
    expect(gateway.models.seen[0]?.headers['authorization']).toBe(`Bearer ${providerKey}`)
    expect(gateway.models.seen[0]?.headers['x-api-key']).toBeUndefined()
  })

  it('accepts no token in the address, and sends none of it to the provider', async () => {
    const path = '/gateway/gemini/v1beta/models/gemini-2.5-flash:generateContent'
    const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
    expect((await call(`${path}?key=${gateway.token}`, { token: null, body })).status).toBe(401)
    const reply = await call(`${path}?key=abc&alt=json`, { body })
    expect(reply.status).toBe(200)
    expect(gateway.models.seen[0]?.headers['x-goog-api-key']).toBe(providerKey)
  })

  it('refuses a token that an admin has not allowed, until one does, and at once when it ends', async () => {
    const { id, token } = await gateway.createToken({ name: 'not yet' })
    const refused = await call(chat, { token })
    expect(refused.status).toBe(403)
    expect(await refused.json()).toEqual({
      error: {
        message: expect.stringContaining('may not use the gateway'),
        type: 'permission_error',
        param: null,
        code: 'auth.forbidden',
      },
    })
    await gateway.server.call(`PATCH /api/tokens/${id}`, { body: { gateway: true } })
    expect((await call(chat, { token })).status).toBe(200)
    await gateway.server.call(`PATCH /api/tokens/${id}`, { body: { gateway: false } })
    expect((await call(chat, { token })).status).toBe(403)
    expect(gateway.models.seen).toHaveLength(1)
  })

  it('checks the workspace of requests without a run, too', async () => {
    const { token } = await gateway.createToken({ workspace: 'default', gateway: true })
    const headers = { 'promptdeck-workspace': 'other' }
    expect((await call('/gateway/openai/v1/models', { token, headers, method: 'GET' })).status).toBe(403)
    expect((await call('/gateway/anthropic/v1/messages/count_tokens', { token, headers })).status).toBe(403)
  })

  it('ends a reply when the token is revoked', async () => {
    const { id, token } = await gateway.createToken({ name: 'revoked', gateway: true })
    gateway.models.plan({ fault: 'stall' })
    const reply = await call(chat, { token, body: { ...hello, stream: true } })
    const { disconnected } = await gateway.models.request(0)
    await gateway.server.call(`DELETE /api/tokens/${id}`)
    await expect(reply.text()).rejects.toThrow()
    expect(await disconnected).toBe(true)
    expect(await gateway.run(idOf(reply))).toMatchObject({ status: 'error', error_type: 'cancelled' })
  })

  it('sends the own key of a caller, with the token apart, and never the one of the service', async () => {
    const { token } = await gateway.createToken({ name: 'own key', gateway: true, pass_through_key: true })
    const ownKey = 'sk-canary-caller-0123456789'
    const reply = await call(chat, { token: ownKey, headers: { 'promptdeck-token': token } })
    // The local provider knows another key, and its error names the one it got.
    expect(reply.status).toBe(401)
    expect(gateway.models.seen[0]?.headers['authorization']).toBe(`Bearer ${ownKey}`)
    expect(gateway.models.seen[0]?.headers['promptdeck-token']).toBeUndefined()
    const run = await gateway.run(idOf(reply))
    expect(run).toMatchObject({ status: 'error', error_type: 'unauthorized' })
    expect(JSON.stringify(run)).not.toContain(ownKey)
    expect(JSON.stringify(run)).toContain('[key]')
    expect((await call(chat, { token })).status).toBe(403)
    expect((await call(chat, { token: ownKey, headers: { 'promptdeck-token': gateway.token } })).status).toBe(
      403,
    )
    const ready = await gateway.server.call('GET /api/providers/openai')
    expect(ready.body.data.health?.error ?? null).toBeNull()
  })

  it('gives no token the keys of the service that its creator may not use', async () => {
    const own = { gateway: true, pass_through_key: true }
    const { token } = await gateway.createToken({ name: 'creator', role: 'admin', ...own })
    const create = (body: object) => gateway.server.call('POST /api/tokens', { token, body })
    expect((await create({ name: 'more', gateway: true })).status).toBe(403)
    const { id, token: created } = (await create({ name: 'equal', ...own })).body.data
    await gateway.server.call(`PATCH /api/tokens/${id}`, { body: { pass_through_key: false } })
    expect((await call(chat, { token: created })).status).toBe(403)
    expect(gateway.models.seen).toHaveLength(0)
  })

  it('stores no part of an own key that a Gemini client sends in the address', async () => {
    const { token } = await gateway.createToken({ name: 'in address', gateway: true, pass_through_key: true })
    const key = 'canary-own+key_0123456789'
    gateway.models.plan({ status: 400, message: `Bad key ${key}` })
    const path = `/gateway/gemini/v1beta/models/g:generateContent?key=${encodeURIComponent(key)}`
    const body = { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }
    const reply = await call(path, { token: null, headers: { 'promptdeck-token': token }, body })
    expect(reply.status).toBe(400)
    expect(await gateway.run(idOf(reply))).toMatchObject({ error: 'bad_request: Bad key [key]' })
  })
})

describe('a page of an allowed origin', () => {
  const origin = 'https://app.example.com'

  it('sends the headers of its client, and reads the reply and the id of the run', async () => {
    const asked = 'authorization,x-stainless-lang,promptdeck-session'
    const preflight = await fetch(`${gateway.server.url}${chat}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': asked },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-headers')).toBe(asked)
    const { headers } = await call(chat, { headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe(origin)
    expect(headers.get('access-control-expose-headers')).toContain('Promptdeck-Run-Id')
    expect((await call(chat, { headers: { origin: 'https://evil.example.com' } })).status).toBe(403)
  })
})
