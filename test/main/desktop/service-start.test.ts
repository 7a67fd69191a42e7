import { describe, expect, it } from 'vitest'
import { eventually } from '../support/desktop.ts'
import { isUp, serve, setUpDesktop, start } from './desktop-with-service.ts'

setUpDesktop()

describe('a start', () => {
  it('shows the console and the address of its service; a quit ends it and releases the data folder', async () => {
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

    const url = desktop.url()
    await desktop.quit()
    expect(desktop.seen.exits).toEqual([0])
    expect(await isUp(url)).toBe(false)
    const again = await serve({ dataDir: desktop.paths.dataDir })
    expect(await isUp(again.url)).toBe(true)
  })

  it('shows that it waits, and after ten minutes why it stopped waiting', async () => {
    const desktop = await start({ service: 'hanging' })
    await eventually(() => desktop.children.length).toBe(1)
    expect(desktop.status()).toBe('Starting…')
    expect(desktop.statusPage()).toBeNull()
    desktop.clock.pass(2_000)
    expect(desktop.statusPage()).toContain('Promptdeck is starting')
    // The first start after an update may take minutes, so this window can end it.
    for (const action of ['show-servers', 'open-log-folder', 'quit'])
      expect(desktop.statusPage()).toContain(`promptdeck.invalid/${action}"`)
    expect(desktop.statusPage()).not.toContain('try-again')
    desktop.clock.pass(597_999)
    expect(desktop.children[0]?.killed).toBe(false)
    desktop.clock.pass(1)
    await eventually(desktop.statusPage).toContain('The service was not ready within 10 minutes.')
    expect(desktop.statusPage()).toContain(desktop.log.path)
    expect(desktop.status()).toBe('Not running')
    expect(desktop.seen.tray?.icon).toBe('icons/tray-failed.png')
    // No automatic retry: it would only be killed again.
    desktop.clock.pass(600_000)
    expect(desktop.children).toHaveLength(1)

    desktop.statusWindow()?.navigate('will-navigate', 'https://promptdeck.invalid/try-again?')
    await eventually(() => desktop.children.length).toBe(2)
    expect(desktop.statusPage()).toContain('Promptdeck is starting')
    desktop.statusWindow()?.navigate('will-navigate', 'https://promptdeck.invalid/quit?')
    await eventually(() => {
      desktop.clock.pass(10_000)
      return desktop.seen.exits
    }).toEqual([0])
    expect(desktop.children[1]?.killed).toBe(true)
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
