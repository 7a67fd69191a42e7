import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createGuard } from '../../../server/http/guard.ts'
import { closeCode, openSocket } from '../../support/scenario.ts'
import type { TestServer } from '../../support/service.ts'
import { raw, server, setUpService, time } from './hardening-support.ts'

setUpService()

describe('an unreadable request', () => {
  it.each([
    [
      'headers of 20 kB',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
      'request.headers_too_large',
    ],
    [
      'many headers',
      `GET / HTTP/1.1\r\nHost: localhost\r\n${'X-A: b\r\n'.repeat(8000)}\r\n`,
      431,
      'request.headers_too_large',
    ],
    [
      'a URL of 20 kB',
      `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
      414,
      'request.uri_too_long',
    ],
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400, 'request.malformed'],
    [
      'two Content-Length headers',
      'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
      'request.malformed',
    ],
  ])('with %s gets problem+json', async (_name, bytes, status, code) => {
    const reply = await raw(bytes)
    expect(reply).toMatchObject({
      status,
      type: 'application/problem+json; charset=utf-8',
      body: { status, code, type: `urn:problem:${code}`, request_id: expect.stringMatching(/^req_/) },
    })
  })
})

describe('the guard', () => {
  const guard = createGuard({
    host: '127.0.0.1',
    allowedHosts: [],
    allowedOrigins: [],
    publicUrl: null,
    isTrusted: () => false,
  })
  const refuse = (headers: IncomingHttpHeaders) => guard.refuse({ headers, socket: new Socket() })
  it.each([
    ['localhost:99999', 'null'],
    ['127.0.0.1:70000', 'null'],
    ['localhost:99999', 'http://localhost:99999'],
    ['localhost:99999', 'file://'],
    ['localhost:4780', 'null'],
    ['localhost:4780', ''],
  ])('refuses Host %s with Origin %s', (host, origin) => {
    expect(refuse({ host, origin })).toMatchObject({ code: 'auth.forbidden' })
  })
  it('accepts its own origin', () => {
    expect(refuse({ host: 'localhost:4780', origin: 'http://localhost:4780' })).toBeNull()
    expect(refuse({ host: 'localhost:99999' })).toBeNull()
  })
})

it('every reply disables browser features that neither the console nor the API needs', async () => {
  for (const path of ['/', '/docs', '/health', '/openapi.json', '/api/me', '/api/nothing']) {
    const policy = (await server.call(`GET ${path}`)).headers.get('permissions-policy')
    expect({ path, policy }).toEqual({ path, policy: expect.stringContaining('camera=()') })
    expect(policy).toContain('clipboard-write=(self)')
  }
})

describe("a change of one's own password", () => {
  const next = 'another phrase, long enough'
  let user: Awaited<ReturnType<TestServer['signedIn']>>
  beforeEach(async () => {
    user = await server.signedIn('editor')
  })
  const change = (token: string) =>
    server.call('PUT /api/me/password', {
      token,
      body: { current_password: user.password, new_password: next },
    })
  const me = async (token: string) => (await server.call('GET /api/me', { token })).status

  it('returns a new session; the old token works for another 60 s, other tokens do not', async () => {
    const other = await server.login(user.username, user.password)
    const { status, body } = await change(user.token)
    expect({ status, body }).toEqual({
      status: 200,
      body: { ok: true, token: expect.stringMatching(/^eyJ/), expires_at: expect.stringMatching(/Z$/) },
    })
    expect(body.token).not.toBe(user.token)
    expect([await me(body.token), await me(user.token), await me(other)]).toEqual([200, 200, 401])
    const expires = (await server.call('GET /api/me', { token: body.token })).body.expires_at
    expect(Math.abs(Date.parse(expires) - Date.parse(body.expires_at))).toBeLessThan(60_000)
    const sessions = (await server.call('GET /api/me/sessions', { token: body.token })).body.data
    expect(sessions).toHaveLength(1)
    expect(sessions[0].current).toBe(true)
    time.pass(61_000)
    expect([await me(body.token), await me(user.token)]).toEqual([200, 401])
  })

  it('moves its live connections to the new session', async () => {
    const socket = await openSocket(server, user.token)
    const closed = closeCode(socket)
    const { token } = (await change(user.token)).body
    time.pass(61_000)
    expect(await me(user.token)).toBe(401)
    // The socket stayed open: it still receives frames after the old token has ended.
    for (let round = 0; round < 2; round += 1) {
      const frame = once(socket, 'message')
      await server.call('POST /api/workspaces', { body: { name: `Moved ${round} ${user.username}` } })
      await frame
    }
    expect((await server.call('POST /api/logout', { token })).status).toBe(200)
    expect(await closed).toBe(4401)
  })

  it('leaves no replaced token when the new session signs out', async () => {
    const { token } = (await change(user.token)).body
    await server.call('POST /api/logout', { token })
    expect([await me(token), await me(user.token)]).toEqual([401, 401])
  })
})

describe('the event stream of a run', () => {
  let editor: Awaited<ReturnType<TestServer['signedIn']>>
  const open: AbortController[] = []
  beforeEach(async () => {
    editor = await server.signedIn('editor')
  })
  afterEach(() => {
    for (const controller of open.splice(0)) controller.abort()
  })

  /** Starts a run that does not end on its own; resolves at its first text. */
  async function begin(token: string) {
    const controller = new AbortController()
    open.push(controller)
    const reply = await fetch(`${server.url}/api/playground/run`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        provider: 'mock',
        content: 'word '.repeat(5000),
        params: { mock: { tokens_per_second: 5 }, timeout_ms: 600_000 },
        stream: true,
      }),
      signal: controller.signal,
    })
    expect(reply.status).toBe(200)
    const decoder = new TextDecoder()
    const reader = reply.body?.getReader()
    if (reader === undefined) throw new Error('There is no body')
    let text = ''
    while (!text.includes('event: delta'))
      text += decoder.decode((await reader.read()).value, { stream: true })
    return {
      /** Returns all events until the service ends the reply. */
      async rest(): Promise<string> {
        for (;;) {
          const { done, value } = await reader.read()
          if (done) return text
          text += decoder.decode(value, { stream: true })
        }
      },
    }
  }
  const lastEvent = (text: string) => {
    const [, name, data] = /event: (\w+)\ndata: (.*)\n\n$/.exec(text) ?? []
    return { name, data: JSON.parse(data ?? 'null') }
  }

  it.each([
    ['signing out', 'auth.invalid_token', () => server.call('POST /api/logout', { token: editor.token })],
    ['a revocation', 'auth.invalid_token', () => server.call(`POST /api/users/${editor.id}/revoke-sessions`)],
    [
      'another role',
      'auth.forbidden',
      () => server.call(`PATCH /api/users/${editor.id}`, { body: { role: 'viewer' } }),
    ],
    [
      'disabling',
      'auth.invalid_token',
      () => server.call(`PATCH /api/users/${editor.id}`, { body: { disabled: true } }),
    ],
  ])('ends on %s, including its call', async (_name, code, act) => {
    const stream = await begin(editor.token)
    const otherStream = await begin(server.config.serviceToken ?? '')
    expect((await act()).status).toBe(200)
    expect(lastEvent(await stream.rest())).toMatchObject({ name: 'error', data: { code } })
    const cancelled = () => server.call(`GET /api/runs?user=${editor.username}&error_type=cancelled`)
    while ((await cancelled()).body.data.length === 0) await new Promise((resolve) => setImmediate(resolve))
    open.at(-1)?.abort()
    await expect(otherStream.rest()).rejects.toThrow(/abort/i)
  })

  it('continues after a password change, with the new session', async () => {
    const stream = await begin(editor.token)
    const body = { current_password: editor.password, new_password: 'yet another long phrase' }
    const { token } = (await server.call('PUT /api/me/password', { token: editor.token, body })).body
    time.pass(61_000)
    await server.call('POST /api/logout', { token })
    expect(lastEvent(await stream.rest())).toMatchObject({
      name: 'error',
      data: { code: 'auth.invalid_token' },
    })
  })

  it('ends when its API token is revoked', async () => {
    const reply = await server.call('POST /api/tokens', { body: { name: 'streams', role: 'editor' } })
    const apiToken = reply.body.data
    const stream = await begin(apiToken.token)
    await server.call(`DELETE /api/tokens/${apiToken.id}`)
    expect(lastEvent(await stream.rest())).toMatchObject({
      name: 'error',
      data: { code: 'auth.invalid_token' },
    })
  })

  it('ends when the user is disabled who became the owner of its API token meanwhile', async () => {
    const reply = await server.call('POST /api/tokens', { body: { name: 'streams', role: 'editor' } })
    const { token, id } = reply.body.data
    const stream = await begin(token)
    const body = { binding: 'owner', owner: editor.username }
    expect((await server.call(`PATCH /api/tokens/${id}`, { body })).status).toBe(200)
    await server.call(`PATCH /api/users/${editor.id}`, { body: { disabled: true } })
    expect(lastEvent(await stream.rest())).toMatchObject({
      name: 'error',
      data: { code: 'auth.invalid_token' },
    })
  })
})
