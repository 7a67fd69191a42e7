import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { StoredServer } from '../../../main/servers/stored-servers.ts'
import type { ServerClient } from '../../../server/index.ts'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import {
  click,
  type Desktop,
  type DesktopOptions,
  eventually,
  itemOf,
  patience,
  startDesktop,
} from '../support/desktop.ts'

vi.setConfig({ testTimeout: patience })

/** The service of this computer, and one of another computer, over TLS with a certificate of its authority. */
let local: TestServer
let remote: LanServer
beforeAll(async () => {
  const started = await Promise.all([startTestServer(), startLanServer()])
  local = started[0]
  remote = started[1]
})
afterAll(async () => {
  await remote.close()
  await local.close()
})

const apps: Desktop[] = []
async function start(options: DesktopOptions = {}): Promise<Desktop> {
  const { args = ['.'], ...others } = options
  const app = await startDesktop({
    keyStore: 'open',
    startsAt: Date.now(),
    args: [...args, `--attach=${local.url}`],
    ...others,
  })
  apps.push(app)
  return app
}
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close()
})

const host = () => new URL(remote.lanUrl).host
const text = (app: Desktop) => eventually(() => app.serversText())

/** Opens the window for servers. */
async function openServers(app: Desktop): Promise<void> {
  await app.running()
  click(app.seen.menu, 'Connect to a Server…')
  await app.act('ready')
}

/** Opens a pairing window as an admin of the other computer. */
async function opened(): Promise<{ code: string; link: string }> {
  return (await remote.call('POST /api/pairing', { body: { role: 'editor' } })).body.data
}

async function answer(name: string, how: 'approve' | 'refuse'): Promise<{ kind: string; words: string[] }> {
  type Request = { id: string; name: string; status: string; kind: string; words: string[] }
  let found: Request | undefined
  await eventually(async () => {
    const { body } = await remote.call('GET /api/pairing/requests')
    found = body.data.find((each: Request) => each.name === name && each.status === 'pending')
    return found?.name
  }).toBe(name)
  await remote.call(`POST /api/pairing/requests/${found?.id}/${how}`)
  return found ?? { kind: '', words: [] }
}

const account = (device: string, username = 'edda') => ({
  device,
  username,
  account: 'new',
  password: `a long phrase of ${username}`,
})

/** Pairs an app, up to the window of the server. */
async function pair(app: Desktop, device: string, username?: string): Promise<void> {
  const { code } = await opened()
  await openServers(app)
  await app.act('connect', { address: host() })
  await app.act('same')
  await Promise.all([app.act('request', { ...account(device, username), code }), answer(device, 'approve')])
  await eventually(() => app.remoteWindows().length).toBe(1)
}

const stored = async (app: Desktop): Promise<StoredServer[]> =>
  JSON.parse(await readFile(app.paths.servers, 'utf8')).servers

const devices = async () => (await remote.call('GET /api/devices')).body.data
const revoke = async (name: string) => {
  const { id } = (await devices()).find((each: { name: string }) => each.name === name)
  expect((await remote.call(`DELETE /api/devices/${id}`)).status).toBe(200)
}

/** Calls the shell like the page in the window of the server. */
function askRemote(app: Desktop, channel: string, ...args: unknown[]): Promise<unknown> {
  const sender = app.remoteWindows()[0]?.webContents ?? {}
  return app.askAs({ sender, senderFrame: { origin: remote.lanUrl, parent: null } }, channel, ...args)
}

describe('connecting to a server', () => {
  it('shows name and words, asks for an account, waits for the admin, and opens the console', async () => {
    const app = await start()
    const { code } = await opened()
    await openServers(app)
    expect(app.serversText()).toContain('This computer')
    expect(app.serversText()).toContain('Address or link')
    await app.act('connect', { address: ` ${host()} ` })
    const { name, words, fingerprint } = remote.identity
    for (const shown of [...words, fingerprint, `connecting to ${name}`])
      expect(app.serversText()).toContain(shown)
    // Nothing was asked of the admin before the words are confirmed.
    await app.act('request', { ...account('Laptop'), code })
    expect((await remote.call('GET /api/pairing/requests')).body.data).toEqual([])

    await app.act('same')
    await app.act('request', { device: 'Laptop', account: 'new' })
    expect(app.serversText()).toContain('Some fields are missing.')
    await app.act('request', { ...account('Laptop'), password: 'short', code })
    expect(app.serversText()).toContain('Some of the input is not valid.')
    await app.act('request', { ...account('Laptop'), code: 'WRONG234' })
    expect(app.serversText()).toContain('The code is wrong')

    const asked = app.act('request', { ...account('Laptop'), code })
    const request = await answer('Laptop', 'approve')
    expect(request).toMatchObject({ kind: 'desktop', words })
    await asked
    await eventually(() => app.remoteWindows()[0]?.loads).toEqual([`${remote.lanUrl}/`])
    expect(app.serversWindow()).toBeUndefined()

    const [server] = await stored(app)
    expect(server).toMatchObject({
      name,
      origin: remote.lanUrl,
      fingerprint,
      username: 'edda',
      plainToken: null,
    })
    expect(server?.ca).toContain('BEGIN CERTIFICATE')
    expect((await stat(app.paths.servers)).mode & 0o777).toBe(0o600)
    // The double of the key store reverses the text.
    const token = Buffer.from(server?.sealedToken ?? '', 'base64')
      .reverse()
      .toString()
    expect(token).toMatch(/^pd_/)
    expect(await readFile(app.paths.servers, 'utf8')).not.toContain(token)
    expect(await app.logged()).not.toContain(token)

    // The window has a session of its own, and the page gets a session of the user, but not the device token.
    const [window] = app.remoteWindows()
    expect(window?.options.webPreferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      partition: `persist:server-${server?.id}`,
    })
    const session = await askRemote(app, 'promptdeck:sign-in')
    expect(session).not.toBe(token)
    const me = await remote.lan('GET /api/me', { token: String(session) })
    expect(me.body).toMatchObject({ username: 'edda', role: 'editor' })
  })

  it('ends when the admin refuses, and stores nothing', async () => {
    const app = await start()
    const { code } = await opened()
    await openServers(app)
    await app.act('connect', { address: host() })
    await app.act('same')
    const asked = app.act('request', { ...account('Refused', 'otto'), code })
    await text(app).toContain('Waiting for the admin')
    // Opening the window again does not end the request.
    click(app.seen.menu, 'Connect to a Server…')
    expect(app.serversText()).toContain('Waiting for the admin')
    await Promise.all([asked, answer('Refused', 'refuse')])
    await text(app).toContain('An admin refused this device.')
    await expect(stored(app)).rejects.toThrow('ENOENT')
    expect(app.remoteWindows()).toEqual([])
  })

  it('asks before it follows a link, and sends nothing until then', async () => {
    const { link } = await opened()
    const app = await start({ args: ['.', link] })
    await eventually(() => app.serversWindow() !== undefined).toBe(true)
    await app.act('ready')
    await text(app).toContain('A link asks this app to connect')
    expect(app.serversText()).toContain(host())
    // The console of this computer stays closed, and a click on "Cancel" ends it.
    expect(app.window()).toBeUndefined()
    await app.act('cancel')
    await app.act('proceed')
    expect(app.serversText()).toContain('Connect to a server')
    expect((await remote.call('GET /api/pairing')).body.data).toMatchObject({ state: 'open' })

    app.events.emit('second-instance', {}, ['promptdeck', link])
    await text(app).toContain('A link asks this app to connect')
    await app.act('proceed')
    for (const word of remote.identity.words) expect(app.serversText()).toContain(word)
    await app.act('same')
    // The secret of the link replaces the code.
    expect(app.serversText()).not.toContain('8 characters, on')
    await Promise.all([app.act('request', account('By link', 'linus')), answer('By link', 'approve')])
    await eventually(() => app.remoteWindows().length).toBe(1)
  })

  it('refuses a server that is not the one of the link, before anything is shown to compare', async () => {
    const app = await start()
    await app.running()
    const link = new URL((await opened()).link)
    link.searchParams.set('fp', '00'.repeat(32))
    app.events.emit('second-instance', {}, ['promptdeck', link.href])
    await eventually(() => app.serversWindow() !== undefined).toBe(true)
    await app.act('proceed')
    await text(app).toContain('The server is not the one of the link')
    await app.act('same')
    expect(app.serversText()).not.toContain('for access')
  })

  it.each([
    ['http://desk.local', 'needs an https address'],
    ['https://user:secret@desk.local', 'must not contain a user name'],
    ['not an address', 'is not an address'],
    ['127.0.0.1:1', 'Nothing answers at 127.0.0.1:1'],
    ['promptdeck://pair?secret=x', 'has no address'],
  ])('says why %s does not work', async (address, reason) => {
    const app = await start()
    await openServers(app)
    await app.act('connect', { address })
    await text(app).toContain(reason)
  })

  it('refuses another program at the address', async () => {
    const other = createServer((_, res) => res.end('hello'))
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const app = await start()
    await openServers(app)
    await app.act('connect', { address: `127.0.0.1:${(other.address() as AddressInfo).port}` })
    await text(app).toContain('sent no usable CA certificate')
    other.close()
  })
})

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
    expect(next.serversText()).toContain('Forget Team & Co?')
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

  it('that revokes the device is not opened any more, and says why', async () => {
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
    await app.act('same')
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
