import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Argument of a start by the system at sign-in: the app then starts in the tray. */
export const hiddenFlag = '--hidden'

type LoginApp = {
  readonly isPackaged: boolean
  getLoginItemSettings(options?: { path?: string; args?: string[] }): {
    openAtLogin: boolean
    wasOpenedAtLogin: boolean
  }
  setLoginItemSettings(settings: { openAtLogin?: boolean; path?: string; args?: string[] }): void
}

export type LoginItemOptions = {
  readonly app: LoginApp
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly execPath: string
  readonly writeLog: (line: string) => void
}

export type LoginItem = {
  /** Null in a development build: the system would open Electron without the app. */
  isOn(): boolean | null
  set(isOn: boolean): void
  wasOpenedAtSignIn(args: readonly string[]): boolean
}

/** "Open at sign-in" on each system. Linux uses a folder of files, which Electron does not support. */
export function createLoginItem(options: LoginItemOptions): LoginItem {
  const { app, platform } = options
  const item = platform === 'linux' ? autostartFile(options) : systemItem(options)
  return {
    isOn: () => (app.isPackaged ? item.isOn() : null),
    set(isOn) {
      if (!app.isPackaged) throw new Error('Only an installed app can be opened at sign-in.')
      item.set(isOn)
    },
    wasOpenedAtSignIn: (args) =>
      args.includes(hiddenFlag) ||
      (platform === 'darwin' && app.isPackaged && app.getLoginItemSettings().wasOpenedAtLogin),
  }
}

type Item = { isOn(): boolean; set(isOn: boolean): void }

function systemItem({ app, platform, execPath }: LoginItemOptions): Item {
  // Windows finds the entry by path and arguments. macOS needs neither and reports a start at sign-in itself.
  const entry = platform === 'win32' ? { path: execPath, args: [hiddenFlag] } : {}
  return {
    isOn: () => app.getLoginItemSettings(entry).openAtLogin,
    set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, ...entry }),
  }
}

/** The autostart file of Linux: https://specifications.freedesktop.org/autostart-spec */
function autostartFile({ app, env, home, execPath, writeLog }: LoginItemOptions): Item {
  const folder = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'autostart')
  const file = join(folder, 'promptdeck.desktop')
  // An AppImage is mounted at a new path for each start; only the path of the image itself is stable.
  const content = () => autostartEntry(env['APPIMAGE'] || execPath)
  const write = () => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, content())
  }
  const isOn = () => {
    const text = textOf(file)
    return text !== null && !/^Hidden=true$/m.test(text)
  }
  try {
    // The app was moved: the old entry no longer works.
    if (app.isPackaged && isOn() && textOf(file) !== content()) write()
  } catch (error) {
    writeLog(`${file} could not be updated: ${String(error)}`)
  }
  return { isOn, set: (isOn) => (isOn ? write() : rmSync(file, { force: true })) }
}

/** Returns the text of a file; null if it does not exist or cannot be read. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/**
 * Returns a desktop entry. Escapes the program in the Exec line as the specification requires: the value is
 * unescaped twice, as a string and as a quoted argument.
 */
export function autostartEntry(program: string): string {
  if (/[\n\r]/.test(program)) throw new Error('The path of the app contains a line break.')
  const quoted = program
    .replace(/(["`$\\])/g, '\\$1')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
  const lines = ['Type=Application', 'Name=Promptdeck', `Exec="${quoted}" ${hiddenFlag}`, 'Terminal=false']
  return ['[Desktop Entry]', ...lines, 'X-GNOME-Autostart-enabled=true', ''].join('\n')
}
