import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { closeCode, movableClock, openSocket, type Watcher, watch } from '../../support/scenario.ts'
import { app, deviceNamed, paired, password } from './pairing-support.ts'

const day = 24 * 3_600_000
const renewed = 'quite another phrase 9'
const time = movableClock()
let server: LanServer
let watcher: Watcher
beforeAll(async () => {
  server = await startLanServer({ hasOwnCertificate: true, substitutes: { clock: time.clock } })
  watcher = await watch(server)
})
afterAll(async () => {
  await watcher.close()
  await server.close()
})

const browser = (username: string, name: string) => ({ username, name })
const login = (username: string, device: string | undefined, options: object = {}) =>
  server.lan('POST /api/login', {
    body: { username, password },
    ...(device !== undefined && { headers: { 'promptdeck-device': device } }),
    ...options,
  })

describe('the list of devices', () => {
  it('has all devices for admins, own ones for users, and none for apps', async () => {
    const own = await paired(server, browser('lister', 'Lister phone'), { role: 'viewer' })
    await paired(server, browser('other', 'Other phone'), { role: 'viewer' })
    const mine = await server.lan('GET /api/devices', { token: own.token })
    expect(mine.body).toMatchObject({
      total: 1,
      data: [{ name: 'Lister phone', kind: 'browser', state: 'active', is_current: true }],
    })
    expect(mine.body.data[0].user.username).toBe('lister')
    const all = await server.call('GET /api/devices?sort=name')
    expect(all.body.data.map(({ name }: { name: string }) => name)).toEqual(['Lister phone', 'Other phone'])
    const appToken = await paired(server, app('cli', 'A laptop'), { role: 'viewer' })
    expect((await server.lan('GET /api/devices', { token: appToken.token })).body.data).toEqual([])
    for (const [query, names] of [
      ['kind=cli', ['A laptop']],
      ['q=other', ['Other phone']],
      ['state=expired', []],
      ['owner=me', []],
      ['kind=cli&kind=browser&limit=2&sort=-name', ['Other phone', 'Lister phone']],
    ]) {
      const { body } = await server.call(`GET /api/devices?${query}`)
      expect(body.data.map(({ name }: { name: string }) => name)).toEqual(names)
    }
    expect(all.text).not.toMatch(/hash|pd_dev_|pd_api_/)
  })

  it('shows the last use, which extends the lifetime of a browser', async () => {
    const { token, device_token } = await paired(server, browser('slider', 'Slider phone'))
    const before = await deviceNamed(server, 'Slider phone')
    time.pass(80 * day)
    const signedIn = await login('slider', device_token)
    expect(signedIn.status).toBe(200)
    expect((await server.lan('GET /api/me', { token: signedIn.body.token })).status).toBe(200)
    expect((await server.lan('GET /api/me', { token })).status).toBe(401)
    const after = await deviceNamed(server, 'Slider phone')
    expect(Date.parse(after.last_seen_at) - Date.parse(before.last_seen_at)).toBeGreaterThanOrEqual(80 * day)
    expect(Date.parse(after.expires_at) - Date.parse(after.last_seen_at)).toBe(90 * day)
    time.pass(90 * day)
    expect((await deviceNamed(server, 'Slider phone')).state).toBe('expired')
    expect((await login('slider', device_token)).body.code).toBe('auth.device_required')
  })

  it('keeps last use and devices over a restart', async () => {
    const { device_token } = await paired(server, browser('stayer', 'Stayer phone'))
    const before = await deviceNamed(server, 'Stayer phone')
    await watcher.close()
    await server.restart()
    watcher = await watch(server)
    expect(await deviceNamed(server, 'Stayer phone')).toEqual(before)
    expect((await login('stayer', device_token)).status).toBe(200)
  })
})

describe('renaming a device', () => {
  it('is recorded, and possible for its user and for admins', async () => {
    const { token } = await paired(server, browser('namer', 'Namer phone'), { role: 'viewer' })
    const { id } = await deviceNamed(server, 'Namer phone')
    await watcher.run({
      name: 'own device',
      call: `PATCH /api/devices/${id}`,
      token: () => token,
      body: { name: 'Old phone' },
      status: 200,
      reply: { data: { name: 'Old phone' } },
      audit: ['namer update device Old phone'],
      frames: ['device', 'audit'],
    })
    await watcher.run({
      name: 'the same name again',
      call: `PATCH /api/devices/${id}`,
      body: { name: 'Old phone' },
      status: 200,
    })
    const other = await server.signedIn('editor')
    for (const method of ['PATCH', 'DELETE'])
      await watcher.run({
        name: 'a device of somebody else',
        call: `${method} /api/devices/${id}`,
        token: () => other.token,
        ...(method === 'PATCH' && { body: { name: 'Mine' } }),
        status: 404,
        reply: { code: 'not_found' },
      })
    const sessions = await server.call('GET /api/me/sessions', { token })
    expect(sessions.body.data[0].device.name).toBe('Old phone')
  })
})

describe('revoking a device', () => {
  it('ends its sessions and connections within a second, and nothing else', async () => {
    const { token, device_token, user } = await paired(server, browser('revoked', 'Lost phone'))
    const elsewhere = await server.login('revoked', password)
    const { id } = await deviceNamed(server, 'Lost phone')
    const [socket, other] = [await openSocket(server, token), await openSocket(server, elsewhere)]
    const closed = closeCode(socket)
    const startedAt = performance.now()
    const { audit } = await watcher.during(() => server.call(`DELETE /api/devices/${id}`))
    expect(await closed).toBe(4401)
    expect(performance.now() - startedAt).toBeLessThan(1000)
    expect(audit).toEqual(['service-token revoke device Lost phone'])
    expect((await server.lan('GET /api/me', { token })).status).toBe(401)
    expect((await login('revoked', device_token)).body.code).toBe('auth.device_required')
    // The user's session on this machine is not of the device.
    const pong = once(other, 'pong')
    other.ping()
    await pong
    other.close()
    expect((await server.call('GET /api/me', { token: elsewhere })).body.id).toBe(user?.id)
    expect((await server.call(`DELETE /api/devices/${id}`)).status).toBe(404)
  })

  it('of an SDK revokes its API token, and the other way round', async () => {
    const { token } = await paired(server, app('sdk', 'worker'), { role: 'viewer' })
    const device = await deviceNamed(server, 'worker')
    const socket = await openSocket(server, token)
    const closed = closeCode(socket)
    await server.call(`DELETE /api/devices/${device.id}`)
    expect(await closed).toBe(4401)
    expect((await server.lan('GET /api/me', { token })).status).toBe(401)
    expect((await server.call('GET /api/tokens?q=worker')).body.data).toEqual([])

    await paired(server, app('sdk', 'second worker'), { role: 'viewer' })
    const second = await deviceNamed(server, 'second worker')
    await server.call(`DELETE /api/tokens/${second.token_id}`)
    expect((await server.call('GET /api/devices?q=second')).body.data).toEqual([])
  })

  it('happens with the account: a deleted user has no devices, and nobody a session on one', async () => {
    const { user, device_token } = await paired(server, browser('leaver', 'Leaver phone'))
    await paired(server, browser('borrower', 'Borrower phone'))
    const { token } = (await login('borrower', device_token)).body
    const closed = closeCode(await openSocket(server, token))
    await server.call(`DELETE /api/users/${user?.id}`)
    expect((await server.call('GET /api/devices?q=leaver')).body.data).toEqual([])
    expect((await server.lan('GET /api/me', { token })).status).toBe(401)
    expect(await closed).toBe(4401)
  })
})

describe('signing in on a paired device', () => {
  it('needs the password: the device token alone signs nobody in', async () => {
    const { device_token = '' } = await paired(server, browser('signer', 'Signer phone'))
    const headers = { 'promptdeck-device': device_token }
    const alone = await server.lan('POST /api/login', { headers, body: { token: device_token } })
    expect({ status: alone.status, code: alone.body.code }).toEqual({
      status: 401,
      code: 'auth.invalid_token',
    })
    const wrong = await server.lan('POST /api/login', {
      headers,
      body: { username: 'signer', password: 'no' },
    })
    expect(wrong.body.code).toBe('auth.invalid_credentials')
    expect((await server.lan('GET /api/me', { token: device_token })).status).toBe(401)
    const { result, audit } = await watcher.during(() => login('signer', device_token))
    expect(result.body).toMatchObject({ ok: true, username: 'signer' })
    expect(audit).toEqual(['signer login session signer'])
    const sessions = await server.lan('GET /api/me/sessions', { token: result.body.token })
    expect(sessions.body.data[0].device).toMatchObject({ name: 'Signer phone' })
  })

  const change = (id: string, body: object) => server.call(`PATCH /api/users/${id}`, { body })
  const redeem = async (id: string) => {
    const { token } = (await server.call(`POST /api/users/${id}/password-link`)).body.data
    return server.call('POST /api/password-link/redeem', {
      token: null,
      body: { token, new_password: renewed },
    })
  }
  it.each([
    ['its user is disabled', (id: string) => change(id, { disabled: true })],
    ['an admin sets a password', (id: string) => change(id, { password: renewed })],
    ['a one-time link sets one', redeem],
    ['an admin ends all sessions', (id: string) => server.call(`POST /api/users/${id}/revoke-sessions`)],
    ['its second factor is reset', (id: string) => server.call(`DELETE /api/users/${id}/second-factor`)],
  ])('as a desktop app opens sessions with its token, until %s', async (name, end) => {
    const username = name.replaceAll(' ', '-')
    const { token, device_token, user } = await paired(server, { username, name, kind: 'desktop' })
    expect(device_token).toBeUndefined()
    expect(token).toMatch(/^pd_dev_/)
    const open = () =>
      server.lan('POST /api/login', { headers: { 'promptdeck-device': token }, body: { token } })
    const { body } = await open()
    expect(body.token).not.toBe(token)
    expect((await server.lan('GET /api/me', { token: body.token })).body.username).toBe(username)
    expect((await end(user?.id ?? '')).status).toBe(200)
    expect((await open()).status).toBe(401)
    expect((await server.lan('GET /api/me', { token: body.token })).status).toBe(401)
  })

  it('keeps the device when the password is changed', async () => {
    const { token } = await paired(server, browser('changer', 'Changer phone'))
    const body = { current_password: password, new_password: renewed }
    const changed = await server.lan('PUT /api/me/password', { token, body })
    const sessions = await server.lan('GET /api/me/sessions', { token: changed.body.token })
    expect(sessions.body.data).toMatchObject([{ device: { name: 'Changer phone' } }])
  })
})

describe('the lifetime of devices', () => {
  it('is a setting, which applies to new devices and to the next use', async () => {
    await server.call('PATCH /api/settings', { body: { device_days: 7 } })
    await paired(server, browser('weekly', 'Weekly phone'))
    const device = await deviceNamed(server, 'Weekly phone')
    expect(Date.parse(device.expires_at) - Date.parse(device.created_at)).toBe(7 * day)
    await paired(server, app('cli', 'weekly cli'), { role: 'viewer' })
    const cli = await deviceNamed(server, 'weekly cli')
    const token = (await server.call('GET /api/tokens?q=weekly')).body.data[0]
    expect(token.expires_at).toBe(cli.expires_at)
    await server.call('PATCH /api/settings', { body: { device_days: 90 } })
  })
})
