import { createHmac, createSecretKey, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { createTokens } from '../../../server/auth/tokens/tokens.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64url')
const header = base64('{"alg":"HS256","typ":"JWT"}')

/** Tokens with invalid parts. */
const malformed: readonly string[] = [
  ...['[]', 'null', 'true', '1', '"text"', '{}', '', '{', '[1]'].flatMap((payload) => [
    `${header}.${base64(payload)}.x`,
    `${base64(payload)}.${header}.x`,
    `${base64(payload)}.${base64(payload)}.${base64(payload)}`,
  ]),
  `${header}.Ww.x`,
  `${base64('{"alg":"none"}')}.${base64('{"sub":"admin"}')}.x`,
  `${base64('{"alg":["HS256"]}')}.${base64('{}')}.x`,
  `${base64('{"alg":{}}')}.${base64('{}')}.x`,
  `${base64('{"alg":"HS256","crit":["b64"],"b64":false}')}.${base64('{}')}.x`,
  `${header}.${'A'.repeat(1500)}.x`,
  `${header}..`,
  '..',
  'a.b.c',
  '_._._',
]

describe('the token parser', () => {
  const secret = randomBytes(32)
  const tokens = createTokens({ key: createSecretKey(secret) })
  const now = new Date('2026-11-21T09:30:00.000Z')
  const session = { id: 's', userId: 'u', createdAtMs: now.getTime(), expiresAtMs: now.getTime() + 60_000 }
  const good = tokens.issue(session)
  const signed = (head: string, payload: string): string => {
    const text = `${base64(head)}.${base64(payload)}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }

  it('accepts no mutation of a token, and never throws', () => {
    const alphabet = 'ABCxyz019-_.=+/ \u0000é'
    const mutation = fc.record({
      at: fc.nat(good.length),
      cut: fc.nat(6),
      add: fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 6 }),
    })
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const token = mutations.reduce(
          (text, { at, cut, add }) => text.slice(0, at) + add + text.slice(at + cut),
          good,
        )
        fc.pre(token !== good)
        expect(tokens.verify(token, now)).toBeNull()
      }),
      { numRuns: 5000 },
    )
  })

  it('never throws on JSON in the parts, even if signed with the right key', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), (head, payload) => {
        expect(tokens.verify(signed(head, payload), now)).toBeNull()
        expect(tokens.verify(signed('{"alg":"HS256","typ":"JWT"}', payload), now)).toBeNull()
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a malformed token', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startTestServer()
  })
  afterAll(() => server.close())

  it.each(['/api/me', '/api/no-such-route', '/metrics'])('is 401 at %s', async (path) => {
    for (const token of malformed) {
      const headers = { 'x-forwarded-for': '192.0.2.7' }
      const reply = await server.call(`GET ${path}`, { token, headers })
      expect({ token, status: reply.status, code: reply.body?.code }).toEqual({
        token,
        status: 401,
        code: 'auth.invalid_token',
      })
      // A session token is the only one that a sign-in replaces.
      expect(reply.body.detail).toMatch(token.startsWith('eyJ') ? 'Sign in again.' : 'Use another token.')
    }
  })

  it('is 401 at the upgrade of a live connection', async () => {
    for (const token of malformed) {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, {
        headers: { authorization: `Bearer ${token}` },
      })
      socket.on('error', () => undefined)
      const [, response] = await once(socket, 'unexpected-response')
      expect({ token, status: response.statusCode }).toEqual({ token, status: 401 })
      response.resume()
    }
  })

  it('closes a live connection that sends it in its hello with 4401', async () => {
    for (const token of malformed) {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`)
      await once(socket, 'open')
      socket.send(JSON.stringify({ type: 'hello', token, client: 'node-sdk', app: 't', namespace: 'prod' }))
      const [code] = await once(socket, 'close')
      expect({ token, code }).toEqual({ token, code: 4401 })
    }
  })
})
