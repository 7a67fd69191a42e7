import { describe, expect, it } from 'vitest'
import { backOffMs } from '../../../main/service/supervisor.ts'
import { click, type Desktop, eventually } from '../support/desktop.ts'
import { isUp, setUpDesktop, start } from './desktop-with-service.ts'

setUpDesktop()

/** Kills the service's process like a crash. */
const crash = ({ children }: Desktop) => children.at(-1)?.kill('SIGKILL')

describe('a service that crashes', () => {
  it('is restarted after a pause, with its page, and gets new attempts after it ran for a while', async () => {
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

    desktop.clock.pass(300_000)
    crash(desktop)
    await eventually(desktop.status).toBe('Restarting (1 of 5)…')
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
})

describe('the window of a service that stops and starts', () => {
  it('can navigate only to its address, and loads a page again that failed or whose process died', async () => {
    const desktop = await start()
    const window = await desktop.running()
    expect(window.navigate('will-navigate', `${desktop.url()}/runs`)).toBe(true)
    expect(window.navigate('will-navigate', 'https://example.org/')).toBe(false)
    expect(window.navigate('will-redirect', 'https://example.org/')).toBe(false)
    expect(window.openWindow('https://example.org/help')).toEqual({ action: 'deny' })
    expect(window.openWindow('file:///etc/passwd')).toEqual({ action: 'deny' })
    expect(desktop.seen.outside).toEqual(['https://example.org/', 'https://example.org/help'])
    const old = desktop.url()
    const loads = window.loads.length
    window.contents.emit('did-fail-load', {}, -102, 'ERR_CONNECTION_REFUSED', desktop.url(), true)
    window.contents.emit('did-fail-load', {}, -3, 'ERR_ABORTED', desktop.url(), true)
    crash(desktop)
    await eventually(desktop.status).toMatch(/^Restarting/)
    desktop.clock.pass(500)
    await eventually(() => window.loads.length).toBe(loads + 1)
    await eventually(desktop.status).toMatch(/^Running at/)
    expect(window.navigate('will-navigate', `${desktop.url()}/runs`)).toBe(true)
    expect(window.navigate('will-navigate', `${old}/runs`)).toBe(false)

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
