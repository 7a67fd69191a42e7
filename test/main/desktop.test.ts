import { writeFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { channels, serversAction } from '../../main/page/channels.ts'
import { startTestServer, type TestServer } from '../support/service.ts'
import {
  click,
  type Desktop,
  type DesktopOptions,
  eventually,
  itemOf,
  startDesktop,
} from './support/desktop.ts'

/** One service for all tests, which only concern the shell. */
let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const open: Desktop[] = []
async function start({ args = ['.'], ...options }: DesktopOptions = {}): Promise<Desktop> {
  const desktop = await startDesktop({ ...options, args: [...args, `--attach=${server.url}`] })
  open.push(desktop)
  return desktop
}
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

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

describe('calls from the console', () => {
  it('are fewer than ten, each with a handler', async () => {
    const desktop = await start()
    await desktop.running()
    expect([...desktop.ipcHandlers.keys()].sort()).toEqual([...channels, serversAction].sort())
    expect(channels.length).toBeLessThan(10)
  })

  it('are answered for the console in the top frame of our window only', async () => {
    const desktop = await start()
    const { webContents: sender } = await desktop.running()
    const origin = desktop.url()
    const refused = [
      { sender, senderFrame: null },
      { sender, senderFrame: { origin, parent: {} } },
      { sender, senderFrame: { origin: 'https://example.org', parent: null } },
      { sender, senderFrame: { origin: `${origin}0`, parent: null } },
      { sender, senderFrame: { origin: 'null', parent: null } },
      { sender: {}, senderFrame: { origin, parent: null } },
    ]
    for (const channel of channels)
      for (const event of refused)
        await expect(desktop.askAs(event, channel)).rejects.toThrow('not allowed for this page')
    await expect(desktop.ask('promptdeck:state')).resolves.toEqual({
      version: '9.9.9',
      logFile: desktop.log.path,
      isAttached: true,
      opensAtSignIn: false,
      keepsRunning: false,
      notifiesOfErrors: false,
    })
    await desktop.ask('promptdeck:open-log-folder')
    expect(desktop.seen.folders).toEqual([desktop.paths.logs])
  })

  it('must be well formed', async () => {
    const desktop = await start()
    await desktop.running()
    const report = { count: 1, newestId: 5, name: 'greet' }
    const bad: [string, ...unknown[]][] = [
      ['promptdeck:state', 'more'],
      ['promptdeck:open-log-folder', '/etc'],
      ['promptdeck:choose'],
      ['promptdeck:choose', null],
      ['promptdeck:choose', { notifiesOfErrors: 'yes' }],
      ['promptdeck:choose', { keepsRunning: true, path: '/etc' }],
      ['promptdeck:choose', {}, {}],
      ['promptdeck:report-failed-runs'],
      ['promptdeck:report-failed-runs', { ...report, count: 0 }],
      ['promptdeck:report-failed-runs', { ...report, count: 1.5 }],
      ['promptdeck:report-failed-runs', { ...report, newestId: -1 }],
      ['promptdeck:report-failed-runs', { ...report, newestId: '../users' }],
      ['promptdeck:report-failed-runs', { ...report, name: '' }],
      ['promptdeck:report-failed-runs', { ...report, name: 'x'.repeat(201) }],
      ['promptdeck:report-failed-runs', { ...report, name: 'two\nlines' }],
      ['promptdeck:report-failed-runs', { ...report, url: 'https://example.org' }],
    ]
    for (const [channel, ...args] of bad)
      await expect(desktop.ask(channel, ...args), JSON.stringify(args)).rejects.toThrow('invalid arguments')
    expect(desktop.seen.folders).toEqual([])
    expect(await desktop.ask('promptdeck:choose', {})).toMatchObject({ keepsRunning: false })
  })

  it('are stored in the settings file, which may be damaged, and shown in the tray', async () => {
    const desktop = await start()
    await desktop.running()
    const chosen = { keepsRunning: true, notifiesOfErrors: true, opensAtSignIn: true }
    expect(await desktop.ask('promptdeck:choose', chosen)).toMatchObject(chosen)
    expect(itemOf(desktop.seen.tray?.menu ?? [], 'Open at Sign-in').checked).toBe(true)
    const { dataDir } = desktop.paths
    await desktop.quit()

    const next = await start({ dataDir })
    await next.running()
    expect(await next.ask('promptdeck:state')).toMatchObject({ keepsRunning: true, notifiesOfErrors: true })
    await next.quit()

    writeFileSync(next.paths.settings, '{"keepsRunning":true,"notifiesOfErrors":"perhaps"')
    const damaged = await start({ dataDir })
    await damaged.running()
    expect(await damaged.ask('promptdeck:state')).toMatchObject({
      keepsRunning: false,
      notifiesOfErrors: false,
    })
  })

  it('report if a choice cannot be stored', async () => {
    const desktop = await start()
    await desktop.running()
    // A folder is in the place of the file.
    await mkdir(desktop.paths.settings, { recursive: true })
    await expect(desktop.ask('promptdeck:choose', { keepsRunning: true })).rejects.toThrow()
    expect(await desktop.ask('promptdeck:state')).toMatchObject({ keepsRunning: false })
    click(desktop.seen.tray?.menu ?? [], 'Keep Running When the Window Is Closed')
    expect(itemOf(desktop.seen.tray?.menu ?? [], 'Keep Running When the Window Is Closed').checked).toBe(
      false,
    )
    expect(await desktop.logged()).toContain('not saved')
  })
})

describe('failed runs', () => {
  const report = (desktop: Desktop, count: number, newestId: number) =>
    desktop.ask('promptdeck:report-failed-runs', { count, newestId, name: 'greet' })

  it('are not announced unless the user chose so', async () => {
    const desktop = await start()
    await desktop.running()
    await report(desktop, 1, 7)
    expect(desktop.seen.notices).toEqual([])
  })

  it('are announced at most once a minute, with their number, and open on a click', async () => {
    const desktop = await start()
    const window = await desktop.running()
    await desktop.ask('promptdeck:choose', { notifiesOfErrors: true })
    await report(desktop, 1, 7)
    expect(desktop.seen.notices).toMatchObject([{ title: 'A run failed', body: 'greet' }])
    for (let i = 0; i < 500; i++) await report(desktop, 2, 8 + i)
    desktop.clock.pass(59_999)
    expect(desktop.seen.notices).toHaveLength(1)
    desktop.clock.pass(1)
    expect(desktop.seen.notices.slice(1)).toMatchObject([
      { title: '1000 runs failed', body: 'The newest: greet' },
    ])
    desktop.seen.notices[0]?.click()
    desktop.seen.notices[1]?.click()
    expect(window.sent).toEqual(['/runs/7', '/runs?status=error'])
    desktop.clock.pass(60_000)
    expect(desktop.seen.notices).toHaveLength(2)
  })

  it('are no longer announced after the choice is reverted, and never without notifications', async () => {
    const desktop = await start()
    await desktop.running()
    await desktop.ask('promptdeck:choose', { notifiesOfErrors: true })
    await report(desktop, 1, 7)
    await report(desktop, 1, 8)
    await desktop.ask('promptdeck:choose', { notifiesOfErrors: false })
    desktop.clock.pass(60_000)
    expect(desktop.seen.notices).toHaveLength(1)
    desktop.circumstances.canNotify = false
    expect(await desktop.ask('promptdeck:choose', { notifiesOfErrors: true })).toMatchObject({
      notifiesOfErrors: null,
    })
    await report(desktop, 1, 9)
    expect(desktop.seen.notices).toHaveLength(1)
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
