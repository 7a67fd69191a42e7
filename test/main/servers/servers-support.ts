import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, vi } from 'vitest'
import type { StoredServer } from '../../../main/servers/stored-servers.ts'
import { type LanServer, startLanServer } from '../../support/lan/listener.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import {
  click,
  type Desktop,
  type DesktopOptions,
  eventually,
  patience,
  startDesktop,
} from '../support/desktop.ts'

/** The service of this computer. */
export let local: TestServer

/** The service of another computer, over TLS with a certificate of its authority. */
export let remote: LanServer

const apps: Desktop[] = []

/** Starts an app that uses the service of this computer. */
export async function start(options: DesktopOptions = {}): Promise<Desktop> {
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

/** Host and port of the service of the other computer. */
export const host = () => new URL(remote.lanUrl).host

/** Polls the text of the window for servers. */
export const text = (app: Desktop): ReturnType<typeof eventually<string>> =>
  eventually(() => app.serversText())

/** Opens the window for servers. */
export async function openServers(app: Desktop): Promise<void> {
  await app.running()
  click(app.seen.menu, 'Connect to a Server…')
  await app.act('ready')
}

/** Opens a pairing window as an admin of the other computer. */
export async function opened(): Promise<{ code: string; link: string }> {
  return (await remote.call('POST /api/pairing', { body: { role: 'editor' } })).body.data
}

/** Waits for the pending request of a device, answers it as an admin of the other computer, and returns it. */
export async function answer(
  name: string,
  how: 'approve' | 'refuse',
): Promise<{ kind: string; words: string[] }> {
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

/** The fields of a request with a new account. */
export const account = (device: string, username = 'edda') => ({
  device,
  username,
  account: 'new',
  password: `a long phrase of ${username}`,
})

export const stored = async (app: Desktop): Promise<StoredServer[]> =>
  JSON.parse(await readFile(app.paths.servers, 'utf8')).servers

/** Calls the shell like the page in the window of the server. */
export function askRemote(app: Desktop, channel: string, ...args: unknown[]): Promise<unknown> {
  const sender = app.remoteWindows()[0]?.webContents ?? {}
  return app.askAs({ sender, senderFrame: { origin: remote.lanUrl, parent: null } }, channel, ...args)
}

/**
 * Starts both services before the tests of the calling file and closes them after them. Closes the apps after
 * each test. Sets the time limit of the tests.
 */
export function setUpServices(): void {
  vi.setConfig({ testTimeout: patience })
  beforeAll(async () => {
    const started = await Promise.all([startTestServer(), startLanServer()])
    local = started[0]
    remote = started[1]
  })
  afterAll(async () => {
    await remote.close()
    await local.close()
  })
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close()
  })
}
