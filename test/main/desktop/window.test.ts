import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { click, eventually } from '../support/desktop.ts'
import { setUpService, start } from './attached-desktop.ts'

setUpService()

describe('the window', () => {
  it('has no permission to use devices', async () => {
    const desktop = await start()
    await desktop.running()
    const answers: boolean[] = []
    for (const permission of ['media', 'geolocation', 'hid', 'unknown']) {
      desktop.handlers.request?.({}, permission, (answer) => answers.push(answer), {
        requestingUrl: `${desktop.url()}/`,
      })
      answers.push(desktop.handlers.check?.({}, permission, desktop.url()) ?? true)
    }
    answers.push(desktop.handlers.device?.() ?? true)
    expect(new Set(answers)).toEqual(new Set([false]))
  })

  it('ends the app when it is closed, unless the user chose the tray', async () => {
    const desktop = await start()
    const window = await desktop.running()
    click(desktop.seen.tray?.menu ?? [], 'Keep Running When the Window Is Closed')
    expect(window.closeByHand()).toBe(false)
    expect(window.state.isShown).toBe(false)
    desktop.seen.tray?.click()
    expect(window.state).toMatchObject({ isShown: true, isFocused: true })
    expect(JSON.parse(await readFile(desktop.paths.settings, 'utf8'))).toMatchObject({ keepsRunning: true })

    click(desktop.seen.tray?.menu ?? [], 'Keep Running When the Window Is Closed')
    expect(window.closeByHand()).toBe(true)
    await eventually(() => desktop.seen.exits).toEqual([0])
  })

  it('cannot be lost: without a tray, closing it ends the app', async () => {
    const desktop = await start({ hasTray: false })
    await eventually(() => desktop.window()?.loads.length).toBe(1)
    await desktop.ask('promptdeck:choose', { keepsRunning: true }).catch(() => {})
    expect(desktop.window()?.closeByHand()).toBe(true)
    await eventually(() => desktop.seen.exits).toEqual([0])
    expect(await desktop.logged()).toContain('no tray')
  })

  it('is only hidden on macOS, and shown again from the Dock', async () => {
    const desktop = await start({ platform: 'darwin' })
    const window = await desktop.running()
    expect(window.closeByHand()).toBe(false)
    desktop.events.emit('activate')
    expect(window.state.isShown).toBe(true)
    await desktop.quit()
    expect(window.isDestroyed()).toBe(true)
  })
})

describe('a second start', () => {
  it('exits and starts nothing', async () => {
    const desktop = await start({ isFirstInstance: false })
    await desktop.done
    expect(desktop.seen.quits).toBe(1)
    expect(desktop.children).toEqual([])
    expect(desktop.windows).toEqual([])
  })

  it('shows the first window and opens its link there, within the page', async () => {
    const desktop = await start()
    const window = await desktop.running()
    window.state.isMinimized = true
    desktop.events.emit('second-instance', {}, ['promptdeck'])
    expect(window.state).toMatchObject({ isMinimized: false, isShown: true, isFocused: true })
    desktop.events.emit('second-instance', {}, ['promptdeck', '--x', 'promptdeck://runs/123'])
    expect(window.sent).toEqual(['/runs/123'])
    desktop.events.emit('second-instance', {}, ['promptdeck', 'promptdeck://runs/../../etc'])
    expect(window.sent).toEqual(['/runs/123', '/'])
    // The page was not reloaded.
    expect(window.loads).toHaveLength(1)
    // A start by the system at sign-in while the app runs must not open a window.
    window.state.isFocused = false
    desktop.events.emit('second-instance', {}, ['promptdeck', '--hidden'])
    expect(window.state.isFocused).toBe(false)
  })
})

describe('links', () => {
  it('are opened by the start that contains them', async () => {
    const desktop = await start({ args: ['.', 'promptdeck://workspaces/team-blue'] })
    const window = await desktop.running()
    expect(window.loads).toEqual([`${desktop.url()}/workspaces/team-blue`])
  })

  it('may arrive before Electron is ready, as on macOS', async () => {
    const desktop = await start({ platform: 'darwin', isUnready: true })
    let isPrevented = false
    const preventDefault = () => {
      isPrevented = true
    }
    desktop.events.emit('open-url', { preventDefault }, 'promptdeck://audit/42')
    expect(isPrevented).toBe(true)
    desktop.becomeReady()
    const window = await desktop.running()
    expect(window.loads).toEqual([`${desktop.url()}/audit/42`])
    desktop.events.emit('open-url', { preventDefault }, 'promptdeck://users')
    expect(window.sent).toEqual(['/users'])
  })
})

describe('at sign-in', () => {
  it('starts without a window, stays after one was opened and closed, and quits from the tray', async () => {
    const desktop = await start({ args: ['.', '--hidden'] })
    await eventually(desktop.status).toMatch(/^Connected to/)
    desktop.clock.pass(3_000)
    expect(desktop.windows).toEqual([])
    click(desktop.seen.tray?.menu ?? [], 'Open Promptdeck')
    const window = await desktop.running()
    expect(window.closeByHand()).toBe(false)
    click(desktop.seen.tray?.menu ?? [], 'Quit Promptdeck')
    await eventually(() => desktop.seen.exits).toEqual([0])
  })
})

it('has a menu with browser, address, documentation and pages', async () => {
  const desktop = await start()
  const window = await desktop.running()
  const { menu } = desktop.seen
  click(menu, 'Open in Browser')
  click(menu, 'API Documentation')
  click(menu, 'Copy Address')
  click(menu, 'Prompts')
  click(menu, 'Runs')
  click(menu, 'Settings…')
  click(menu, 'Open Log Folder')
  const url = desktop.url()
  expect(desktop.seen.outside).toEqual([`${url}/`, `${url}/docs`])
  expect(desktop.seen.copied).toEqual([url])
  expect(window.sent).toEqual(['/prompts', '/runs', '/settings'])
  expect(desktop.seen.folders).toEqual([desktop.paths.logs])
})
