import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commandArguments } from '../../main/lib/command.ts'
import { createLogFile } from '../../main/lib/log-file.ts'
import { pathsFor } from '../../main/lib/paths.ts'
import { linkInArguments, pathOfLink } from '../../main/page/links.ts'
import { autostartEntry, createLoginItem } from '../../main/settings/login-item.ts'
import { createWindowMemory, placementOf } from '../../main/settings/window-state.ts'
import { actionOf, statusPage } from '../../main/windows/status-page.ts'
import { readConfig } from '../../server/config.ts'
import { manualClock } from './support/clock.ts'
import { windowDouble } from './support/window.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'promptdeck-shell-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('links', () => {
  it.each([
    ['promptdeck://runs', '/runs'],
    ['promptdeck://runs/', '/runs'],
    ['promptdeck://runs/123', '/runs/123'],
    ['promptdeck://audit/42/', '/audit/42'],
    [
      'promptdeck://users/019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
      '/users/019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
    ],
    ['promptdeck://workspaces/team-blue', '/workspaces/team-blue'],
    ['promptdeck://clients', '/clients'],
    ['promptdeck://prompts/019aa5b2', '/prompts/019aa5b2'],
    ['promptdeck://playground', '/playground'],
    ['promptdeck://agents/019aa5b2', '/agents/019aa5b2'],
    ['promptdeck://workflows', '/workflows'],
    ['promptdeck://providers', '/providers'],
    ['promptdeck://settings', '/settings'],
    ['promptdeck://profile', '/profile'],
  ])('%s opens %s', (link, path) => {
    expect(pathOfLink(link)).toBe(path)
  })

  it.each([
    'promptdeck://',
    'promptdeck:',
    'promptdeck:runs',
    'promptdeck:///runs',
    'promptdeck://overview',
    'promptdeck://nowhere/1',
    'promptdeck://constructor',
    'promptdeck://__proto__/x',
    'promptdeck://runs/..',
    'promptdeck://runs/../users',
    'promptdeck://runs/%2e%2e%2fusers',
    'promptdeck://runs//example.org',
    'promptdeck://runs/1/2',
    'promptdeck://runs/1?workspace=x',
    'promptdeck://runs#x',
    'promptdeck://runs/1\n',
    'promptdeck://runs/<script>',
    `promptdeck://runs/${'9'.repeat(65)}`,
    'promptdeck://runs@example.org/1',
    'promptdeck://runs:80/1',
    'promptdeck://settings/token',
    'promptdeck://login',
    'promptdeck://api/users',
    'PROMPTDECK://RUNS/1',
    'https://example.org/',
    'javascript:alert(1)',
    '',
  ])('%j opens the Overview', (link) => {
    expect(pathOfLink(link)).toBe('/')
  })

  it('are found in the arguments of a start', () => {
    expect(linkInArguments(['app', '--flag', 'promptdeck://runs/7'])).toEqual({
      kind: 'page',
      path: '/runs/7',
    })
    expect(linkInArguments(['app', 'PromptDeck://x'])).toEqual({ kind: 'page', path: '/' })
    expect(linkInArguments(['app', '--attach=http://127.0.0.1:1', './promptdeck'])).toBeNull()
  })

  it('to a server are recognized by their page alone', () => {
    const link = 'promptdeck://pair?address=desk.local&secret=x&fp=y'
    expect(linkInArguments(['app', link])).toEqual({ kind: 'pair', link })
    for (const other of ['promptdeck://pair', 'promptdeck://pairs?address=x', `${link}${'x'.repeat(1_000)}`])
      expect(linkInArguments(['app', other])).toEqual({ kind: 'page', path: '/' })
  })
})

describe('the position of the window', () => {
  const screen = { x: 0, y: 0, width: 1920, height: 1040 }
  const second = { x: 1920, y: 200, width: 1280, height: 984 }
  const saved = { x: 50, y: 60, width: 1000, height: 700, isMaximized: false }

  it('is the last one', () => {
    const { isMaximized: _, ...bounds } = saved
    expect(placementOf(saved, [screen])).toEqual({ bounds, isMaximized: false })
    const other = { ...saved, x: 2000, y: 300 }
    expect(placementOf(other, [screen, second]).bounds).toEqual({ x: 2000, y: 300, width: 1000, height: 700 })
    expect(placementOf({ ...saved, isMaximized: true }, [screen]).isMaximized).toBe(true)
    // A window may be partly outside, as long as its title bar can be reached.
    expect(placementOf({ ...saved, x: -880 }, [screen]).bounds).toMatchObject({ x: -880 })
  })

  it.each([
    ['its screen no longer exists', { ...saved, x: 2000, y: 300 }],
    ['no part of it would be visible', { ...saved, x: -5000 }],
    ['too small a part of it would be visible', { ...saved, x: -881 }],
    ['its title bar is above the screen', { ...saved, y: -10 }],
    ['its title bar is below the screen', { ...saved, y: 1030 }],
    ['the file is empty', undefined],
    ['the file has other content', 'x'],
    ['the file has no position', { width: 1000, height: 700 }],
    ['a number is a text', { ...saved, x: '50' }],
    ['a number is too large', { ...saved, width: 1e12 }],
    ['the size is missing', { ...saved, width: 0 }],
    ['a number is a fraction', { ...saved, y: 0.5 }],
  ])('is the default when %s', (_reason, saved) => {
    expect(placementOf(saved, [screen])).toEqual({
      bounds: { width: 1440, height: 900 },
      isMaximized: false,
    })
  })

  it('fits the screen, and works without any', () => {
    const small = { x: 0, y: 0, width: 1024, height: 700 }
    expect(placementOf(undefined, [small]).bounds).toEqual({ width: 1024, height: 700 })
    expect(placementOf({ ...saved, width: 3000, height: 100 }, [screen]).bounds).toMatchObject({
      width: 1920,
      height: 480,
    })
    expect(placementOf(saved, []).bounds).toEqual({ width: 1440, height: 900 })
  })

  it('is stored shortly after the last change, and on close', () => {
    const clock = manualClock()
    const file = join(folder, 'deep', 'window.json')
    const memory = createWindowMemory(file, clock)
    const window = windowDouble({})
    memory.follow(window)
    for (let x = 0; x < 100; x++) {
      window.bounds = { ...saved, x }
      window.events.emit('move')
      clock.pass(10)
    }
    expect(existsSync(file)).toBe(false)
    clock.pass(500)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...saved, x: 99 })
    window.bounds = { ...saved, x: 7 }
    window.closeByHand()
    expect(memory.placement([screen]).bounds).toMatchObject({ x: 7 })
    writeFileSync(file, '{"x":7,')
    expect(memory.placement([screen]).bounds).toEqual({ width: 1440, height: 900 })
    expect(clock.pendingTimers()).toBe(0)
  })

  it('is not stored, without an error, if the file cannot be written', () => {
    const file = join(folder, 'window.json')
    mkdirSync(file)
    const window = windowDouble({})
    createWindowMemory(file, manualClock()).follow(window)
    expect(() => window.events.emit('close', { preventDefault: () => {} })).not.toThrow()
  })
})

describe('open at sign-in', () => {
  type Settings = { openAtLogin?: boolean; path?: string; args?: string[] }
  const appDouble = (isPackaged = true, wasOpenedAtLogin = false) => {
    const settings: Settings[] = []
    return {
      settings,
      isPackaged,
      // Windows compares the path and its arguments.
      getLoginItemSettings: (query: Settings = {}) => ({
        openAtLogin: settings.at(-1)?.openAtLogin === true && settings.at(-1)?.path === query.path,
        wasOpenedAtLogin,
      }),
      setLoginItemSettings: (added: Settings) => void settings.push(added),
    }
  }
  const context = { env: {}, execPath: '/opt/Promptdeck/promptdeck' }

  it('is an entry of the system on Windows, with the flag that starts in the tray', () => {
    const app = appDouble()
    const execPath = 'C:\\Apps\\Promptdeck.exe'
    const item = createLoginItem({ ...context, app, platform: 'win32', home: folder, execPath })
    expect(item.isOn()).toBe(false)
    item.set(true)
    expect(app.settings).toEqual([{ openAtLogin: true, path: execPath, args: ['--hidden'] }])
    expect(item.isOn()).toBe(true)
    item.set(false)
    expect(item.isOn()).toBe(false)
    expect(item.wasOpenedAtSignIn(['app', '--hidden'])).toBe(true)
    expect(item.wasOpenedAtSignIn(['app'])).toBe(false)
  })

  it('is a login item on macOS, which reports who opened the app', () => {
    const app = appDouble(true, true)
    const item = createLoginItem({ ...context, app, platform: 'darwin', home: folder })
    item.set(true)
    expect(app.settings).toEqual([{ openAtLogin: true }])
    expect(item.isOn()).toBe(true)
    expect(item.wasOpenedAtSignIn(['app'])).toBe(true)
    expect(readdirSync(folder)).toEqual([])
  })

  it('is a file on Linux, which Electron does not support', () => {
    const app = appDouble()
    const file = join(folder, '.config/autostart/promptdeck.desktop')
    const make = (env: Record<string, string> = {}) =>
      createLoginItem({ ...context, app, env, platform: 'linux', home: folder })
    const item = make()
    expect(item.isOn()).toBe(false)
    item.set(false)
    item.set(true)
    expect(item.isOn()).toBe(true)
    expect(readFileSync(file, 'utf8').split('\n')).toContain('Exec="/opt/Promptdeck/promptdeck" --hidden')
    // The desktop's own settings disable it this way.
    writeFileSync(file, `${readFileSync(file, 'utf8')}Hidden=true\n`)
    expect(make().isOn()).toBe(false)
    item.set(true)
    // The app was moved: the next start corrects the path.
    make({ APPIMAGE: '/home-of/Promptdeck.AppImage' })
    expect(readFileSync(file, 'utf8')).toContain('Exec="/home-of/Promptdeck.AppImage" --hidden')
    item.set(false)
    expect(existsSync(file)).toBe(false)
    const elsewhere = make({ XDG_CONFIG_HOME: join(folder, 'xdg') })
    elsewhere.set(true)
    expect(readdirSync(join(folder, 'xdg/autostart'))).toEqual(['promptdeck.desktop'])
    expect(app.settings).toEqual([])
  })

  it('quotes a path as exactly one argument', () => {
    const exec = (path: string) => /^Exec=(.*)$/m.exec(autostartEntry(path))?.[1]
    expect(exec('/a b/c')).toBe('"/a b/c" --hidden')
    expect(exec('/a"; rm -rf $HOME `x`\\/100%')).toBe(
      '"/a\\\\"; rm -rf \\\\$HOME \\\\`x\\\\`\\\\\\\\/100%%" --hidden',
    )
    expect(() => autostartEntry('/a\nExec=evil')).toThrow('line break')
  })

  it.each(['linux', 'darwin', 'win32'] as const)(
    'is not offered by a development build on %s',
    (platform) => {
      const app = appDouble(false)
      const item = createLoginItem({ ...context, app, platform, home: folder })
      expect(item.isOn()).toBeNull()
      expect(() => item.set(true)).toThrow('installed')
      expect(app.settings).toEqual([])
    },
  )
})

describe('the log', () => {
  const now = () => Date.UTC(2026, 10, 21, 9, 30)

  it('contains the output of shell and service, in order', () => {
    const log = createLogFile({ folder: join(folder, 'logs'), now })
    const stream = new PassThrough()
    log.follow(stream)
    log.follow(null)
    log.write('started')
    stream.emit('data', Buffer.from('{"msg":"listening"}\n'))
    stream.emit('data', 'and text\n')
    expect(readFileSync(log.path, 'utf8')).toBe(
      '2026-11-21T09:30:00.000Z started\n{"msg":"listening"}\nand text\n',
    )
  })

  it('never exceeds its size limit', () => {
    const log = createLogFile({ folder, now, maxBytes: 1000, maxOldFiles: 2 })
    const stream = new PassThrough()
    log.follow(stream)
    for (let i = 0; i < 500; i++) log.write(`line ${i}`)
    stream.emit('data', Buffer.alloc(5000, 'x'))
    log.write('the last word')
    const files = readdirSync(folder).sort()
    expect(files).toEqual(['desktop.log', 'desktop.log.1', 'desktop.log.2'])
    for (const file of files) expect(readFileSync(join(folder, file)).length).toBeLessThanOrEqual(1000)
    expect(readFileSync(log.path, 'utf8')).toContain('the last word')
    // The next start continues the same file within the same limit.
    const next = createLogFile({ folder, now, maxBytes: 1000, maxOldFiles: 2 })
    next.write('again')
    expect(readFileSync(log.path, 'utf8')).toMatch(/the last word\n.*again\n$/)
  })

  it('continues with the newest lines if its files cannot be renamed', () => {
    const log = createLogFile({ folder, now, maxBytes: 1000, maxOldFiles: 2 })
    // A file cannot replace a folder.
    mkdirSync(join(folder, 'desktop.log.1/x'), { recursive: true })
    mkdirSync(join(folder, 'desktop.log.2/x'), { recursive: true })
    for (let i = 0; i < 100; i++) log.write(`line ${i}`)
    expect(readFileSync(log.path, 'utf8')).toContain('line 99')
    expect(readFileSync(log.path).length).toBeLessThanOrEqual(1000)
  })

  it('does nothing if it cannot be written', () => {
    const file = join(folder, 'a file')
    writeFileSync(file, '')
    const log = createLogFile({ folder: join(file, 'logs'), now })
    expect(() => log.write('nobody hears this')).not.toThrow()
  })
})

describe('the folders', () => {
  it('are in the data folder that the service would choose', () => {
    for (const env of [{}, { DATA_DIR: folder }, { DATA_DIR: '' }]) {
      const { dataDir, ...rest } = pathsFor(env)
      expect(dataDir).toBe(readConfig(env).dataDir)
      for (const path of Object.values(rest)) expect(path.startsWith(dataDir)).toBe(true)
    }
    expect(pathsFor({ DATA_DIR: 'data' }).dataDir).toBe(resolve('data'))
    expect(pathsFor({}).dataDir.startsWith(dirname(homedir()))).toBe(true)
  })
})

describe('the status page', () => {
  it('contains no script, and the reason is escaped', () => {
    const reason = `<script>alert(1)</script><img src=x onerror="a()"> & 'quotes'\nsecond line`
    const page = statusPage({ kind: 'failed', reason, logFile: '/data/"logs"/desktop.log' })
    expect(page).not.toContain('<script')
    expect(page).not.toContain('<img')
    expect(page).toContain('&#60;script&#62;')
    expect(page).toContain('/data/&#34;logs&#34;/desktop.log')
    expect(page).toMatch(/default-src &#39;none&#39;/)
  })

  it('has exactly three actions', () => {
    expect(actionOf('https://promptdeck.invalid/try-again?')).toBe('try-again')
    expect(actionOf('https://promptdeck.invalid/open-log-folder')).toBe('open-log-folder')
    expect(actionOf('https://promptdeck.invalid/quit')).toBe('quit')
    for (const url of [
      'https://promptdeck.invalid/',
      'https://example.org/quit',
      'quit',
      'promptdeck://quit',
    ])
      expect(actionOf(url)).toBeNull()
  })
})

describe('a start as a command', () => {
  it('is one whose first argument is a word, or asks for help', () => {
    expect(commandArguments(['lan', 'on'])).toEqual(['lan', 'on'])
    expect(commandArguments(['--help'])).toEqual(['--help'])
    for (const args of [
      [],
      ['--hidden'],
      ['promptdeck://runs/7'],
      ['.'],
      ['/opt/app'],
      ['--no-sandbox', 'lan'],
    ])
      expect(commandArguments(args)).toBeNull()
  })
})
