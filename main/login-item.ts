import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Tells a start by the system at sign-in from one by a person: the app then waits in the tray. */
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
}

export type LoginItem = {
  /** Null: this is a development build, and the system would open a bare Electron. */
  isOn(): boolean | null
  set(isOn: boolean): void
  wasOpenedAtSignIn(args: readonly string[]): boolean
}

/** "Open at sign-in" as each system has it; Linux has a folder of files for it, which Electron does not know. */
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
  // Windows finds the entry by path and arguments; macOS takes none and says itself who opened the app.
  const entry = platform === 'win32' ? { path: execPath, args: [hiddenFlag] } : {}
  return {
    isOn: () => app.getLoginItemSettings(entry).openAtLogin,
    set: (isOn) => app.setLoginItemSettings({ openAtLogin: isOn, ...entry }),
  }
}

/** https://specifications.freedesktop.org/autostart-spec */
function autostartFile({ env, home, execPath }: LoginItemOptions): Item {
  const folder = join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'autostart')
  const file = join(folder, 'promptdeck.desktop')
  // An AppImage is mounted anew at each start; only the image itself has a path that lasts.
  const content = autostartEntry(env['APPIMAGE'] || execPath)
  const write = () => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, content)
  }
  const isOn = () => existsSync(file) && !/^Hidden=true$/m.test(readFileSync(file, 'utf8'))
  // The app was moved since: the entry would open nothing.
  if (isOn() && readFileSync(file, 'utf8') !== content) write()
  return { isOn, set: (wanted) => (wanted ? write() : rmSync(file, { force: true })) }
}

/** The Exec line quotes what its reader would take apart, and doubles each backslash once more, as strings there do. */
export function autostartEntry(program: string): string {
  if (/[\n\r]/.test(program)) throw new Error('The path of the app holds a line break.')
  const quoted = program
    .replace(/(["`$\\])/g, '\\$1')
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
  const lines = ['Type=Application', 'Name=Promptdeck', `Exec="${quoted}" ${hiddenFlag}`, 'Terminal=false']
  return ['[Desktop Entry]', ...lines, 'X-GNOME-Autostart-enabled=true', ''].join('\n')
}
