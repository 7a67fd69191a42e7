import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import type { Answer } from '../../support/service.ts'
import { deviceNamed, paired, password } from './pairing-support.ts'

let server: LanServer
beforeAll(async () => {
  // A password takes a while, so that a device is revoked while one is verified.
  server = await startLanServer({ substitutes: { passwordCost: 11 } })
})
afterAll(() => server.close())

const revoke = async (name: string) => {
  const { id } = await deviceNamed(server, name)
  expect((await server.call(`DELETE /api/devices/${id}`)).status).toBe(200)
}

/** Waits until the service has received a request that was sent before. */
const received = () => server.lan('GET /health')

/** Returns true if the reply has a token that is accepted. */
const isSignedIn = async ({ body }: Answer): Promise<boolean> =>
  typeof body.token === 'string' && (await server.lan('GET /api/me', { token: body.token })).status === 200

describe('a device that is revoked meanwhile', () => {
  it('gets no session from a sign-in that waits for its password', async () => {
    const { device_token = '' } = await paired(server, { username: 'late-sign-in', name: 'Slow phone' })
    const signIn = server.lan('POST /api/login', {
      body: { username: 'late-sign-in', password },
      headers: { 'promptdeck-device': device_token },
    })
    await received()
    await revoke('Slow phone')
    expect(await isSignedIn(await signIn)).toBe(false)
  })

  it('gets no session from a change of its password', async () => {
    const { token } = await paired(server, { username: 'late-change', name: 'Changing phone' })
    const change = server.lan('PUT /api/me/password', {
      token,
      body: { current_password: password, new_password: 'quite another phrase 9' },
    })
    await received()
    await revoke('Changing phone')
    const reply = await change
    expect(await isSignedIn(reply)).toBe(false)
    expect(reply.status).toBe(401)
    // The password is as before.
    expect(await server.login('late-change', password)).toBeTypeOf('string')
  })
})

describe('a sign-in on the network', () => {
  it('needs the device itself: a session of it opens none that outlives the device', async () => {
    const { token } = await paired(server, { username: 'hopper', name: 'Hopper phone' })
    const reply = await server.lan('POST /api/login', { token, body: { username: 'hopper', password } })
    expect({ status: reply.status, code: reply.body.code }).toEqual({
      status: 401,
      code: 'auth.device_required',
    })
  })
})
