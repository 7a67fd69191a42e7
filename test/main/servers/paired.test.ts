import { EventEmitter, once } from 'node:events'
import { stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { ServerClient } from '../../../server/index.ts'
import { serverClient } from '../../../server/tools/desktop/server-client.ts'
import { click, type Desktop, eventually, itemOf } from '../support/desktop.ts'
import {
  account,
  answer,
  askRemote,
  host,
  local,
  opened,
  openServers,
  remote,
  setUpServices,
  start,
  stored,
  text,
} from './servers-support.ts'

setUpServices()

const devices = async () => (await remote.call('GET /api/devices')).body.data
const revoke = async (name: string) => {
  const { id } = (await devices()).find((each: { name: string }) => each.name === name)
  expect((await remote.call(`DELETE /api/devices/${id}`)).status).toBe(200)
}

/** Pairs an app, up to the window of the server. */
async function pair(app: Desktop, device: string, username?: string): Promise<void> {
  const { code } = await opened()
  await openServers(app)
  await app.act('connect', { address: host() })
  await app.act('confirm-words')
  await Promise.all([app.act('request', { ...account(device, username), code }), answer(device, 'approve')])
  await eventually(() => app.remoteWindows().length).toBe(1)
}

describe('a paired server', () => {
  it('is remembered, opened from the menu, renamed, and forgotten with what was stored of it', async () => {
    const app = await start()
    await pair(app, 'Remembered', 'rosa')
    const { dataDir } = app.paths
    await app.quit()

    const next = await start({ dataDir })
    await next.running()
    const { name } = remote.identity
    expect(itemOf(next.seen.tray?.menu ?? [], name).checked).toBe(false)
    click(next.seen.menu, name)
    await eventually(() => next.remoteWindows()[0]?.loads).toEqual([`${remote.lanUrl}/`])
    // The menu follows the focused window.
    next.remoteWindows()[0]?.focus()
    expect(itemOf(next.seen.menu, name).checked).toBe(true)
    click(next.seen.menu, 'Runs')
    expect(next.remoteWindows()[0]?.loads.concat(next.remoteWindows()[0]?.sent ?? [])).toContain('/runs')
    next.window()?.focus()
    expect(itemOf(next.seen.menu, 'This Computer').checked).toBe(true)
    click(next.seen.menu, 'Agents')
    expect(next.window()?.sent).toEqual(['/agents'])

    await openServers(next)
    const [{ id = '' } = {}] = await stored(next)
    await next.act('rename', { id })
    await next.act('save-name', { id, name: ' ' })
    expect(next.serversText()).toContain('Enter a name.')
    await next.act('save-name', { id, name: 'Team & Co\u202e' })
    expect((await stored(next))[0]?.name).toBe('Team & Co')
    expect(itemOf(next.seen.menu, 'Team && Co')).toMatchObject({ type: 'radio' })

    await next.act('forget', { id })
    expect(next.serversText()).toContain('Remove Team & Co?')
    await next.act('confirm-forget', { id })
    expect(await stored(next)).toEqual([])
    expect(next.remoteWindows()).toEqual([])
    expect(next.sessions.get(`persist:server-${id}`)?.cleared).toBe(1)
    expect(() => itemOf(next.seen.menu, 'Team && Co')).toThrow('has no')
  })

  it('gets the functions of a remote console only, and only at its origin', async () => {
    const app = await start()
    await pair(app, 'Bridge', 'bo')
    expect(await askRemote(app, 'promptdeck:state')).toEqual({ username: 'bo', notifiesOfErrors: false })
    for (const channel of ['promptdeck:choose', 'promptdeck:open-log-folder'])
      await expect(askRemote(app, channel, {})).rejects.toThrow('not allowed for this page')
    // The console of this computer has no device to sign in with.
    await expect(app.ask('promptdeck:sign-in')).rejects.toThrow('not allowed for this page')
    const sender = app.remoteWindows()[0]?.webContents ?? {}
    for (const senderFrame of [
      { origin: app.url(), parent: null },
      { origin: remote.lanUrl, parent: {} },
      { origin: 'null', parent: null },
    ])
      await expect(app.askAs({ sender, senderFrame }, 'promptdeck:sign-in')).rejects.toThrow('not allowed')
    // The page of a console cannot act in the window for servers.
    await expect(askRemote(app, 'promptdeck:servers', 'look', {})).rejects.toThrow('not allowed')
    await askRemote(app, 'promptdeck:show-servers')
    await expect(app.act('delete-everything')).rejects.toThrow('invalid arguments')
    await expect(app.act('connect', { address: 'x'.repeat(2_001) })).rejects.toThrow('invalid arguments')

    await app.ask('promptdeck:choose', { notifiesOfErrors: true })
    await askRemote(app, 'promptdeck:report-failed-runs', { count: 1, newestId: 7, name: 'greet' })
    expect(app.seen.notices[0]).toMatchObject({ title: `${remote.identity.name}: A run failed` })
    app.seen.notices[0]?.click()
    expect(app.remoteWindows()[0]?.sent).toEqual(['/runs/7'])
    expect(app.window()?.sent).toEqual([])

    const session = [...app.sessions.values()][0]
    const granted: boolean[] = []
    for (const requestingUrl of [remote.lanUrl, local.url])
      session?.handlers.request?.({}, 'notifications', (is) => granted.push(is), { requestingUrl })
    expect(granted).toEqual([true, false])
  })

  it('that revokes the device is not opened any more, with the reason', async () => {
    const app = await start()
    await pair(app, 'Revoked', 'ruth')
    const token = String(await askRemote(app, 'promptdeck:sign-in'))
    await revoke('Revoked')
    expect((await remote.lan('GET /api/me', { token })).status).toBe(401)
    expect(await askRemote(app, 'promptdeck:sign-in')).toBeNull()
    await text(app).toContain('does not accept this device any more')
    app.remoteWindows()[0]?.destroy()
    await app.act('cancel')
    expect(app.serversText()).not.toContain('does not accept')
    const [{ id = '', name = '' } = {}] = await stored(app)
    click(app.seen.menu, name)
    await text(app).toContain('does not accept this device any more')
    expect(app.remoteWindows()).toEqual([])
    // Connecting again shows the words again, and replaces the entry.
    const { code } = await opened()
    await app.act('connect', { address: host() })
    expect(app.serversText()).toContain(remote.identity.words[0])
    await app.act('confirm-words')
    const request = {
      device: 'Again',
      account: 'existing',
      username: 'ruth',
      password: 'a long phrase of ruth',
      code,
    }
    await Promise.all([app.act('request', request), answer('Again', 'approve')])
    await eventually(() => app.remoteWindows().length).toBe(1)
    const servers = await stored(app)
    expect(servers).toHaveLength(1)
    expect(servers[0]?.id).not.toBe(id)
    expect(app.sessions.get(`persist:server-${id}`)?.cleared).toBe(1)
  })

  it('is found at a new address without pairing again, because its authority proves it', async () => {
    const app = await start()
    await pair(app, 'Moved', 'mona')
    app.remoteWindows()[0]?.destroy()
    remote.network.set('127.0.0.1', '127.0.0.2')
    await remote.network.check()
    const address = `127.0.0.2:${new URL(remote.lanUrl).port}`
    await openServers(app)
    await app.act('connect', { address })
    await eventually(() => app.remoteWindows()[0]?.loads).toEqual([`https://${address}/`])
    expect((await stored(app))[0]?.origin).toBe(`https://${address}`)
  })

  it.each(['open', 'connect'] as const)('stays closed if "%s" is cancelled meanwhile', async (how) => {
    let { openSession } = serverClient
    const app = await start({ serverClient: { openSession: (...server) => openSession(...server) } })
    await pair(app, `Cancelled ${how}`, `cy-${how}`)
    app.remoteWindows()[0]?.destroy()
    await openServers(app)
    const [{ id = '' } = {}] = await stored(app)
    const events = new EventEmitter()
    openSession = async (...server) => {
      const [[isAnswered]] = await Promise.all([once(events, 'answer'), events.emit('request')])
      if (isAnswered === true) return serverClient.openSession(...server)
      throw new Error('Nothing answers any more')
    }
    for (const isAnswered of [true, false]) {
      const requested = once(events, 'request')
      const opened = app.act(how, { id, address: host() })
      await requested
      await app.act('cancel')
      await app.act('rename', { id })
      events.emit('answer', isAnswered)
      await opened
      expect(app.remoteWindows()).toEqual([])
      expect(app.serversText()).not.toContain('Nothing answers any more')
      expect(app.serversWindow()?.sent.at(-1)).toContain('save-name')
    }
  })

  it('lists what is found on the network, which no name makes trusted', async () => {
    let report: Parameters<ServerClient['browse']>[0] = () => {}
    let isStopped = false
    const browse: ServerClient['browse'] = (onChange) => {
      report = onChange
      return () => {
        isStopped = true
      }
    }
    const app = await start({ serverClient: { browse } })
    await pair(app, 'Finder', 'finn')
    await openServers(app)
    expect(app.serversText()).toContain('Sends a query to the local network')
    await app.act('look')
    expect(app.serversText()).toContain('Looking for servers')
    const id = remote.identity.fingerprint.replaceAll(':', '').toLowerCase().slice(0, 16)
    report([
      { id: '0'.repeat(16), name: '<b>bank</b>', address: '10.0.0.9:4743' },
      { id, name: 'desk', address: host() },
    ])
    expect(app.serversText()).toContain('Anyone on the network can use any name.')
    expect(app.serversText()).toContain('<b>bank</b>')
    expect(app.serversWindow()?.sent.at(-1)).not.toContain('<b>bank')
    expect(app.serversText()).toContain(`claims to be ${remote.identity.name}`)
    app.serversWindow()?.closeByHand()
    expect(isStopped).toBe(true)
  })
})

it('keeps the token in a file of this user on a computer without a key store', async () => {
  const app = await start({ keyStore: 'none' })
  await pair(app, 'No key store', 'nora')
  const [server] = await stored(app)
  expect(server?.sealedToken).toBeNull()
  expect(server?.plainToken).toMatch(/^pd_/)
  expect((await stat(app.paths.servers)).mode & 0o777).toBe(0o600)
  expect(await app.logged()).toContain('no key store')
})

describe('a server that is not the one of the pairing any more', () => {
  it('is refused by its certificate, with the reason', async () => {
    const app = await start()
    await pair(app, 'Pinned', 'pia')
    app.remoteWindows()[0]?.destroy()
    const [{ name = '' } = {}] = await stored(app)
    await remote.call('POST /api/network/authority')
    click(app.seen.menu, name)
    await text(app).toContain('was not issued by the authority with which this app was paired')
    expect(app.remoteWindows()).toEqual([])

    // The last test: nothing listens at the address any more.
    await remote.stop()
    const [{ id = '' } = {}] = await stored(app)
    await app.act('open', { id })
    await text(app).toContain('is not shared on the network any more')
  })
})
