import { readFile, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { listen } from '../../support/http/loopback.ts'
import { click, eventually } from '../support/desktop.ts'
import {
  account,
  answer,
  askRemote,
  host,
  opened,
  openServers,
  remote,
  setUpServices,
  start,
  stored,
  text,
} from './servers-support.ts'

setUpServices()

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

    await app.act('confirm-words')
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
    await app.act('confirm-words')
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
    await app.act('confirm-words')
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
    await app.act('confirm-words')
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
    const { port, close } = await listen(createServer((_, res) => res.end('hello')))
    const app = await start()
    await openServers(app)
    await app.act('connect', { address: `127.0.0.1:${port}` })
    await text(app).toContain('sent no usable CA certificate')
    await close()
  })
})
