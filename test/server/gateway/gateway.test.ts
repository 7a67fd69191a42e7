import { once } from 'node:events'
import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { gatewayProtocols } from '../../../contract/gateway/gateway.ts'
import { type GatewayTest, providerKey, startGateway } from './gateway-support.ts'

let gateway: GatewayTest
beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_BODY_MB: '1', ALLOWED_ORIGINS: 'https://app.example.com' } })
})
afterAll(() => gateway.close())
beforeEach(() => gateway.models.forget())

const chat = '/gateway/openai/v1/chat/completions'
const hello = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi world' }] }

type Options = {
  readonly token?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly method?: string
  readonly signal?: AbortSignal
}

/** Sends a request to the gateway, by default a chat completion. */
function call(
  path: string = chat,
  { token = gateway.token, headers, body = hello, method, signal }: Options = {},
) {
  const isRead = method === 'GET'
  return fetch(`${gateway.server.url}${path}`, {
    method: method ?? 'POST',
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      ...headers,
    },
    ...(!isRead && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

const idOf = (reply: Response): string | null => reply.headers.get('promptdeck-run-id')
const totalOf = async (query = ''): Promise<number> =>
  (await gateway.server.call(`GET /api/runs?limit=1${query}`)).body.total

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

  it('refuses sessions, and accepts the service token', async () => {
    const { token } = await gateway.server.signedIn('admin')
    expect((await call(chat, { token })).status).toBe(403)
    expect((await call(chat, { token: gateway.server.config.serviceToken ?? '' })).status).toBe(200)
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

  it('say what is wrong with a provider that cannot be called, and are in the run log', async () => {
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

describe('the run of a call', () => {
  it('has the fields that headers and body set', async () => {
    const reply = await call(chat, {
      headers: {
        'promptdeck-prompt': 'mail/reply@v3',
        'promptdeck-env': 'test',
        'promptdeck-session': 'chat-17',
        'promptdeck-tags': 'beta, eu',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      },
      body: { ...hello, user: 'u-1', temperature: 0.2 },
    })
    expect(await gateway.run(idOf(reply))).toMatchObject({
      source: 'gateway',
      provider: 'openai',
      model: 'gpt-4o-mini',
      ref_key: 'mail/reply',
      version: 'v3',
      env: 'test',
      session_id: 'chat-17',
      tags: ['beta', 'eu'],
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      end_user: 'u-1',
      app: 'gateway app',
      token: 'gateway app',
      params: { temperature: 0.2 },
      prompt_tokens: 11,
      output_tokens: 7,
      cost_usd: expect.any(Number),
      content_state: 'off',
      input: null,
    })
    const found = await gateway.server.call('GET /api/runs?trace_id=4bf92f3577b34da6a3ce929d0e0e4736')
    expect(found.body.total).toBe(1)
  })

  it('is in the workspace of the header, which must exist for the token, else in that of the token', async () => {
    const created = await gateway.server.call('POST /api/workspaces', { body: { name: 'Shop' } })
    const { id } = created.body.data
    const named = await call(chat, { headers: { 'promptdeck-workspace': 'shop' } })
    expect(await gateway.run(idOf(named))).toMatchObject({ workspace_id: id })
    const limited = await gateway.createToken({
      name: 'limited',
      gateway: true,
      workspace: 'shop',
      namespaces: ['prod'],
    })
    const own = await call(chat, { token: limited.token })
    expect(await gateway.run(idOf(own))).toMatchObject({ workspace_id: id, env: 'prod' })
    const listed = await gateway.createToken({
      name: 'listed',
      gateway: true,
      access: 'listed',
      memberships: [{ workspace_id: id, role: 'viewer' }],
    })
    expect(await gateway.run(idOf(await call(chat, { token: listed.token })))).toMatchObject({
      workspace_id: id,
    })
    const refused = [
      [limited.token, { 'promptdeck-workspace': 'default' }, 403],
      [limited.token, { 'promptdeck-env': 'dev' }, 403],
      [listed.token, { 'promptdeck-workspace': 'default' }, 404],
      [gateway.token, { 'promptdeck-workspace': 'nowhere' }, 404],
    ] as const
    for (const [token, headers, status] of refused)
      expect((await call(chat, { token, headers })).status).toBe(status)
  })

  it('has input and output as the workspace captures them: without data and secrets', async () => {
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'redacted' } })
    const data = `data:image/png;base64,${'A'.repeat(2000)}`
    const content = [
      { type: 'text', text: 'my password: hunter2hunter2' },
      { type: 'image_url', image_url: { url: data } },
    ]
    const reply = await call(chat, { body: { ...hello, messages: [{ role: 'user', content }] } })
    const run = await gateway.run(idOf(reply))
    await gateway.server.call('PATCH /api/settings', { body: { capture: 'off' } })
    expect(run['content_state']).toBe('captured')
    expect(run['output']).toContain('You said:')
    expect(JSON.stringify(run)).not.toMatch(/hunter2|AAAA/)
    expect(JSON.stringify(run['input'])).toContain(`[${data.length} characters of data]`)
  })

  it('has estimated tokens if the provider reports none', async () => {
    gateway.models.plan({ answer: { usage: null } })
    const reply = await call(chat, { body: { ...hello, stream: true } })
    await reply.text()
    expect(await gateway.run(idOf(reply))).toMatchObject({
      tokens_estimated: true,
      prompt_tokens: expect.any(Number),
      output_tokens: expect.any(Number),
    })
  })

  it('is not made for lists of models and counts of tokens', async () => {
    const before = await totalOf()
    const models = await call('/gateway/anthropic/v1/models', {
      method: 'GET',
      headers: { 'anthropic-version': '2023-06-01' },
    })
    expect(await models.json()).toMatchObject({ data: [{ id: 'claude-haiku-4-5' }] })
    expect(idOf(models)).toBeNull()
    const tags = await call('/gateway/ollama/api/tags', { method: 'GET' })
    expect(await tags.json()).toMatchObject({ models: [{ name: 'llama3.2:latest' }] })
    expect(await totalOf()).toBe(before)
  })

  it('of an added provider is made with its name in a header', async () => {
    const added = await gateway.server.call('POST /api/providers', {
      body: {
        label: 'Groq',
        name: 'groq',
        base_url: `${gateway.models.url}/v1`,
        local: true,
        api_key: providerKey,
      },
    })
    expect(added.status).toBe(201)
    const reply = await call(chat, { headers: { 'promptdeck-provider': 'groq' } })
    expect(await gateway.run(idOf(reply))).toMatchObject({ provider: 'groq', status: 'ok' })
  })
})

describe('the end of a call', () => {
  it('is a cancelled run if the caller leaves, and the provider is told', async () => {
    gateway.models.plan({ fault: 'stall' })
    const controller = new AbortController()
    const reply = await call(chat, { body: { ...hello, stream: true }, signal: controller.signal })
    const reader = reply.body?.getReader()
    await reader?.read()
    const { disconnected } = await gateway.models.request(0)
    controller.abort()
    expect(await disconnected).toBe(true)
    expect(await gateway.run(idOf(reply))).toMatchObject({
      status: 'error',
      error_type: 'cancelled',
      ttft_ms: expect.any(Number),
    })
  })

  it('is a cancelled run if the caller leaves before the provider replies', async () => {
    gateway.models.plan({ fault: 'silent' })
    const before = await totalOf('&error_type=cancelled')
    const controller = new AbortController()
    const pending = call(chat, { signal: controller.signal }).catch(() => null)
    const { disconnected } = await gateway.models.request(0)
    controller.abort()
    await pending
    expect(await disconnected).toBe(true)
    await vi.waitFor(async () => expect(await totalOf('&error_type=cancelled')).toBe(before + 1), 20_000)
  })

  it('is a failed run if the provider drops the connection, and the caller notices', async () => {
    gateway.models.plan({ fault: 'drop' })
    const reply = await call(chat, { body: { ...hello, stream: true } })
    await expect(reply.text()).rejects.toThrow()
    expect(await gateway.run(idOf(reply))).toMatchObject({ status: 'error', error_type: 'unreachable' })
  })

  it('waits for a slot of the provider', async () => {
    const { models, server } = gateway
    await server.call('PATCH /api/providers/openai', { body: { concurrency: 2 } })
    // Two calls have both slots until their callers leave.
    models.plan({ fault: 'stall' }, { fault: 'stall' })
    const callers = [new AbortController(), new AbortController()]
    const body = { ...hello, stream: true }
    const stalled = await Promise.all(callers.map(({ signal }) => call(chat, { body, signal })))
    const waiting = Array.from({ length: 6 }, () => call())
    // A call that is sent later, without a provider, has passed.
    expect((await call(chat, { body: { ...hello, model: 'mock-small' } })).status).toBe(200)
    expect(models.seen).toHaveLength(2)
    for (const caller of callers) caller.abort()
    const replies = await Promise.all(waiting)
    await server.call('PATCH /api/providers/openai', { body: { concurrency: null } })
    expect(replies.map(({ status }) => status)).toEqual(new Array(6).fill(200))
    for (const reply of [...stalled, ...replies]) await gateway.run(idOf(reply))
  })
})

describe('a service that stops', () => {
  it('logs calls in progress as interrupted, once', async () => {
    gateway.models.plan({ fault: 'stall' })
    const before = await totalOf('&error_type=interrupted')
    const reply = await call(chat, { body: { ...hello, stream: true } })
    await gateway.models.request(0)
    const ended = reply.text().catch(() => null)
    await gateway.server.restart()
    await ended
    expect(await totalOf('&error_type=interrupted')).toBe(before + 1)
    expect(await gateway.run(idOf(reply))).toMatchObject({ status: 'error', error_type: 'interrupted' })
  })
})
