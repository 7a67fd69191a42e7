import { writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { channels, serversAction } from '../../../main/page/channels.ts'
import { click, type Desktop, itemOf } from '../support/desktop.ts'
import { setUpService, start } from './attached-desktop.ts'

setUpService()

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
