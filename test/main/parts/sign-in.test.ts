import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { autostartEntry, createLoginItem } from '../../../main/settings/login-item.ts'
import { folder, setUpFolder } from './temporary-folder.ts'

setUpFolder()

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
  const log: string[] = []
  const writeLog = (line: string) => void log.push(line)
  const context = { env: {}, execPath: '/opt/Promptdeck/promptdeck', writeLog }

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

  it('starts the app although the file cannot be corrected, and is not corrected by a development build', () => {
    const file = join(folder, '.config/autostart/promptdeck.desktop')
    const make = (execPath: string, isPackaged = true) =>
      createLoginItem({ ...context, app: appDouble(isPackaged), platform: 'linux', home: folder, execPath })
    make('/opt/promptdeck').set(true)
    const before = readFileSync(file, 'utf8')
    const item = make('/moved\nhere/promptdeck')
    expect(item.isOn()).toBe(true)
    expect(() => item.set(true)).toThrow('line break')
    make('/electron', false)
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(log.splice(0)).toEqual([expect.stringContaining('line break')])
    rmSync(file)
    mkdirSync(file)
    expect(make('/moved/promptdeck').isOn()).toBe(false)
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
