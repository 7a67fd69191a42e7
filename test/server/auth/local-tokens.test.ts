import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { newLocalToken } from '../../../server/auth/tokens/local-tokens.ts'
import { findOwner } from '../../../server/db/engines/sqljs/lock/owner.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'

let server: TestServer
const keyOf = async (): Promise<Buffer> => {
  const owner = await findOwner(join(server.dataDir, 'store'))
  if (owner === null) throw new Error('The service does not own its folder')
  return owner.localKey
}
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)
const me = (token: string, headers: Record<string, string> = {}) =>
  server.call('GET /api/me', { token, headers })

beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe('a local token', () => {
  it('is refused with another key, another content, or after half a minute', async () => {
    const key = await keyOf()
    const [time = '', nonce = '', proof = ''] = newLocalToken(key, new Date())
      .slice('pd_local_'.length)
      .split('_')
    const later = (Date.now() + 5_000).toString(36)
    const refused = [
      newLocalToken(Buffer.alloc(32), new Date()),
      newLocalToken(key, inSeconds(-40)),
      newLocalToken(key, inSeconds(40)),
      `pd_local_${later}_${nonce}_${proof}`,
      `pd_local_${time}_${'A'.repeat(22)}_${proof}`,
      `pd_local_${time}_${nonce}_${proof.slice(1)}`,
      `pd_local_${time}_${nonce}_`,
      'pd_local_',
    ]
    for (const token of refused)
      expect(await me(token), token).toMatchObject({ status: 401, body: { code: 'auth.invalid_token' } })
  })

  it('is refused if a proxy forwards it', async () => {
    const key = await keyOf()
    for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
      expect(await me(newLocalToken(key, new Date()), { [header]: '192.0.2.7' })).toMatchObject({
        status: 401,
      })
  })

  it('signs nobody in, and opens no live connection', async () => {
    const token = newLocalToken(await keyOf(), new Date())
    expect(await server.call('POST /api/login', { token: null, body: { token } })).toMatchObject({
      status: 401,
    })
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const status = await new Promise((resolve) => {
      socket.on('unexpected-response', (_request, reply) => resolve(reply.statusCode))
      socket.on('open', () => resolve('open'))
      socket.on('error', () => undefined)
    })
    socket.terminate()
    expect(status).toBe(401)
  })

  it('acts as admin under its own name, which no user can have', async () => {
    const token = () => newLocalToken(keys.now, new Date())
    const keys = { now: await keyOf() }
    expect(await me(token())).toMatchObject({
      status: 200,
      body: { id: null, username: 'local-command', role: 'admin', auth: 'service_token' },
    })
    const created = await server.call('POST /api/workspaces', {
      token: token(),
      body: { name: 'From the command' },
    })
    expect(created.status).toBe(201)
    const audit = await server.call('GET /api/audit?actor=local-command')
    expect(audit.body).toMatchObject({
      total: 1,
      data: [{ action: 'create', resource: 'workspace', actor_id: null }],
    })
    const body = { username: 'Local-Command', password: 'a phrase of somebody 1', role: 'viewer' }
    expect(await server.call('POST /api/users', { body })).toMatchObject({ status: 422 })
  })

  it('of an earlier start is refused', async () => {
    const before = await keyOf()
    await server.restart()
    expect(await me(newLocalToken(before, new Date()))).toMatchObject({ status: 401 })
    expect(await me(newLocalToken(await keyOf(), new Date()))).toMatchObject({ status: 200 })
  })
})
