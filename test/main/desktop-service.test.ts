import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { backOffMs } from '../../main/service/supervisor.ts'
import { startTestServer, type TestServer } from '../support/service.ts'
import {
  click,
  type Desktop,
  type DesktopOptions,
  eventually,
  patience,
  startDesktop,
} from './support/desktop.ts'

vi.setConfig({ testTimeout: patience })

/** A data folder with its first admin: hashing a password is most of a first start. */
let preparedDataDir: string
beforeAll(async () => {
  preparedDataDir = await mkdtemp(join(tmpdir(), 'promptdeck-made-'))
  const server = await startTestServer({ dataDir: preparedDataDir })
  await server.close()
})
afterAll(() => rm(preparedDataDir, { recursive: true, force: true }))

const open: { close(): Promise<void> }[] = []
async function start({ dataDir, ...options }: DesktopOptions = {}): Promise<Desktop> {
  const ownDataDir = dataDir ?? (await mkdtemp(join(tmpdir(), 'promptdeck-data-')))
  if (dataDir === undefined) {
    await cp(preparedDataDir, ownDataDir, { recursive: true })
    open.push({ close: () => rm(ownDataDir, { recursive: true, force: true }) })
  }
  const desktop = await startDesktop({ ...options, dataDir: ownDataDir })
  open.push(desktop)
  return desktop
}
async function serve(...args: Parameters<typeof startTestServer>): Promise<TestServer> {
  const server = await startTestServer(...args)
  open.push(server)
  return server
}
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const isUp = (url: string): Promise<boolean> =>
  fetch(`${url}/health`).then(
    ({ ok }) => ok,
    () => false,
  )
/** Kills the service's process like a crash. */
const crash = ({ children }: Desktop) => children.at(-1)?.kill('SIGKILL')

describe('a start', () => {
  it('starts the service, shows the console, and shows its address', async () => {
    const desktop = await start()
    const window = await desktop.running()
    expect(await isUp(desktop.url())).toBe(true)
    expect(window.loads).toEqual([`${desktop.url()}/`])
    await eventually(() => window.state.isShown).toBe(true)
    expect(window.options.webPreferences).toMatchObject({ sandbox: true, contextIsolation: true })
    expect(desktop.seen.isSandboxed).toBe(true)
    expect(desktop.seen.paths).toEqual({ userData: desktop.paths.profile })
    expect(desktop.seen.protocols).toEqual(['promptdeck'])
    expect(desktop.status()).toBe(`Running at ${desktop.url()}`)
    expect(desktop.seen.tray?.icon).toBe('icons/tray.png')
    expect(desktop.statusPage()).toBeNull()
    // The output of the service is in the log, in the data folder.
    await eventually(desktop.logged).toContain('"msg":"listening"')
    expect(desktop.log.path.startsWith(desktop.paths.dataDir)).toBe(true)
  })

  it('ends with the service closed and its data folder released', async () => {
    const desktop = await start()
    await desktop.running()
    const url = desktop.url()
    await desktop.quit()
    expect(desktop.seen.exits).toEqual([0])
    expect(await isUp(url)).toBe(false)
    const again = await serve({ dataDir: desktop.paths.dataDir })
    expect(await isUp(again.url)).toBe(true)
  })

  it('shows that it waits, and after 20 s why it stopped waiting', async () => {
    const desktop = await start({ service: 'hanging' })
    await eventually(() => desktop.children.length).toBe(1)
    expect(desktop.status()).toBe('Starting…')
    expect(desktop.statusPage()).toBeNull()
    desktop.clock.pass(2_000)
    expect(desktop.statusPage()).toContain('Promptdeck is starting')
    desktop.clock.pass(17_999)
    expect(desktop.children[0]?.killed).toBe(false)
    desktop.clock.pass(1)
    await eventually(desktop.statusPage).toContain('The service was not ready within 20 s.')
    expect(desktop.statusPage()).toContain(desktop.log.path)
    expect(desktop.status()).toBe('Not running')
    expect(desktop.seen.tray?.icon).toBe('icons/tray-failed.png')
    // No automatic retry: it would only be killed again.
    desktop.clock.pass(600_000)
    expect(desktop.children).toHaveLength(1)

    // A retry by the user waits longer.
    desktop.statusWindow()?.navigate('will-navigate', 'https://promptdeck.invalid/try-again?')
    await eventually(() => desktop.children.length).toBe(2)
    expect(desktop.statusPage()).toContain('Promptdeck is starting')
    desktop.clock.pass(179_999)
    expect(desktop.children[1]?.killed).toBe(false)
    desktop.clock.pass(1)
    await eventually(desktop.statusPage).toContain('within 180 s.')
  })

  it('shows why the service refused to start, and does not retry', async () => {
    const desktop = await start({ env: { PORT: 'many' } })
    await eventually(desktop.statusPage).toContain('PORT: expected a whole number')
    desktop.clock.pass(600_000)
    expect(desktop.children).toHaveLength(1)
    expect(await desktop.logged()).toContain('failed: The configuration is not valid')
    expect(desktop.window()).toBeUndefined()

    const window = desktop.statusWindow()
    expect(window?.navigate('will-navigate', 'https://promptdeck.invalid/open-log-folder?')).toBe(false)
    expect(desktop.seen.folders).toEqual([desktop.paths.logs])
    // Its page cannot navigate elsewhere.
    for (const url of ['https://example.org/', 'file:///etc/passwd', 'https://promptdeck.invalid/other'])
      expect(window?.navigate('will-navigate', url)).toBe(false)
    expect(window?.openWindow('https://example.org/')).toEqual({ action: 'deny' })
    expect(desktop.seen.outside).toEqual([])
    expect(window?.options.webPreferences).toMatchObject({ javascript: false, sandbox: true })
    window?.navigate('will-navigate', 'https://promptdeck.invalid/quit?')
    await eventually(() => desktop.seen.exits).toEqual([0])
  })

  it('ends at once while the service is starting', async () => {
    const desktop = await start({ service: 'hanging' })
    await eventually(() => desktop.children.length).toBe(1)
    desktop.electron.app.quit()
    // The service does not react, so it is killed, and then the app ends.
    desktop.clock.pass(10_000)
    await eventually(() => desktop.seen.exits).toEqual([0])
    expect(desktop.children[0]?.signalCode).toBe('SIGTERM')
  })
})

describe('a service that already runs', () => {
  it('is used if it has the same data, and continues when the app quits', async () => {
    const server = await serve()
    const desktop = await start({ dataDir: server.dataDir })
    const window = await desktop.running()
    expect(window.loads).toEqual([`${server.url}/`])
    expect(desktop.status()).toBe(`Connected to ${server.url}, which another process runs`)
    expect(await desktop.ask('promptdeck:state')).toMatchObject({ isAttached: true })
    await desktop.quit()
    expect(await isUp(server.url)).toBe(true)
  })

  it('is replaced by one of the app when it stops', async () => {
    const server = await serve()
    const desktop = await start({ dataDir: server.dataDir })
    await desktop.running()
    await server.stop()
    await eventually(() => {
      if (!desktop.status().startsWith('Restarting')) desktop.clock.pass(5_000)
      return desktop.status()
    }).toMatch(/^Restarting/)
    desktop.clock.pass(500)
    await eventually(desktop.status).toMatch(/^Running at/)
    expect(await isUp(desktop.url())).toBe(true)
    expect(await desktop.logged()).toContain(`${server.url} no longer answers`)
    // The page of the old address is loaded from the new one.
    expect(desktop.window()?.loads.at(-1)).toBe(`${desktop.url()}/`)
  })

  it('is shown if its address is given, and none is started instead', async () => {
    const server = await serve()
    const desktop = await start({ args: ['.', `--attach=${server.url}`] })
    await desktop.running()
    await server.stop()
    await eventually(() => {
      desktop.clock.pass(5_000)
      return desktop.status()
    }).toBe('Not running')
    expect(desktop.statusPage()).toContain('does not answer')
    expect(desktop.children).toEqual([])
  })
})

describe('a service that crashes', () => {
  it('is restarted after a pause, and the page is loaded from its new address', async () => {
    const desktop = await start()
    const window = await desktop.running()
    const first = desktop.url()
    crash(desktop)
    await eventually(desktop.status).toBe('Restarting (1 of 5)…')
    expect(desktop.seen.tray?.icon).toBe('icons/tray-waiting.png')
    expect(await desktop.logged()).toContain('The service ended with code 137.')
    expect(desktop.children).toHaveLength(1)
    desktop.clock.pass((backOffMs[0] ?? 0) - 1)
    expect(desktop.children).toHaveLength(1)
    desktop.clock.pass(1)
    await eventually(desktop.status).toMatch(/^Running at/)
    expect(await isUp(desktop.url())).toBe(true)
    // With PORT=0 the port is new; on the same port the console recovers on its own and is not reloaded.
    expect(window.loads.at(-1)).toBe(`${desktop.url()}/`)
    expect(desktop.url()).not.toBe(first)
    expect(desktop.statusPage()).toBeNull()
  })

  it('is not restarted after five attempts in a short time, until the user retries', async () => {
    const desktop = await start()
    await desktop.running()
    desktop.circumstances.service = 'dying'
    crash(desktop)
    for (const [index, pause] of backOffMs.entries()) {
      await eventually(desktop.status).toBe(`Restarting (${index + 1} of 5)…`)
      expect(desktop.statusPage()).toBeNull()
      desktop.clock.pass(pause)
    }
    await eventually(desktop.status).toBe('Not running')
    expect(desktop.children).toHaveLength(6)
    expect(desktop.statusPage()).toContain('It was restarted 5 times and ended each time.')
    expect(desktop.statusPage()).toContain(desktop.log.path)
    // The console stays, with the user's input.
    expect(desktop.window()).toBeDefined()

    desktop.circumstances.service = 'real'
    click(desktop.seen.tray?.menu ?? [], 'Try Again')
    await eventually(desktop.status).toMatch(/^Running at/)
    expect(desktop.statusPage()).toBeNull()
  })

  it('gets new attempts after it ran for a while', async () => {
    const desktop = await start()
    await desktop.running()
    for (let round = 0; round < 2; round++) {
      crash(desktop)
      await eventually(desktop.status).toBe('Restarting (1 of 5)…')
      desktop.clock.pass(backOffMs[0] ?? 0)
      await eventually(desktop.status).toMatch(/^Running at/)
      desktop.clock.pass(300_000)
    }
  })
})

describe('the window of a service that stops and starts', () => {
  it('can navigate only to the service, which may have a new address', async () => {
    const desktop = await start()
    const window = await desktop.running()
    expect(window.navigate('will-navigate', `${desktop.url()}/runs`)).toBe(true)
    expect(window.navigate('will-navigate', 'https://example.org/')).toBe(false)
    expect(window.navigate('will-redirect', 'https://example.org/')).toBe(false)
    expect(window.openWindow('https://example.org/help')).toEqual({ action: 'deny' })
    expect(window.openWindow('file:///etc/passwd')).toEqual({ action: 'deny' })
    expect(desktop.seen.outside).toEqual(['https://example.org/', 'https://example.org/help'])
    const old = desktop.url()
    crash(desktop)
    await eventually(desktop.status).toMatch(/^Restarting/)
    desktop.clock.pass(500)
    await eventually(desktop.status).toMatch(/^Running at/)
    expect(window.navigate('will-navigate', `${desktop.url()}/runs`)).toBe(true)
    expect(window.navigate('will-navigate', `${old}/runs`)).toBe(false)
  })

  it('loads a failed page again once the service is back, and a page whose process died', async () => {
    const desktop = await start()
    const window = await desktop.running()
    const loads = window.loads.length
    window.contents.emit('did-fail-load', {}, -102, 'ERR_CONNECTION_REFUSED', desktop.url(), true)
    window.contents.emit('did-fail-load', {}, -3, 'ERR_ABORTED', desktop.url(), true)
    crash(desktop)
    await eventually(desktop.status).toMatch(/^Restarting/)
    desktop.clock.pass(500)
    await eventually(() => window.loads.length).toBe(loads + 1)

    const gone = () => window.contents.emit('render-process-gone', {}, { reason: 'crashed' })
    for (let time = 0; time < 5; time++) gone()
    expect(window.reloads).toBe(3)
    desktop.clock.pass(60_000)
    gone()
    expect(window.reloads).toBe(4)
  })

  it('keeps a link until the service has started', async () => {
    const desktop = await start({ service: 'dying' })
    await eventually(desktop.status).toMatch(/^Restarting/)
    desktop.events.emit('second-instance', {}, ['promptdeck', 'promptdeck://clients'])
    desktop.circumstances.service = 'real'
    desktop.clock.pass(500)
    const window = await desktop.running()
    expect(window.loads).toEqual([`${desktop.url()}/clients`])
  })
})
