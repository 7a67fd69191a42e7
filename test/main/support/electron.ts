import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { IpcEvent } from '../../../main/page/ipc.ts'
import type { Rectangle } from '../../../main/settings/window-state.ts'
import type { ChildWithOutput, ElectronParts } from '../../../main/windows/electron-parts.ts'
import { type Handlers, type SessionDouble, serverSessionDouble, sessionDouble } from './sessions.ts'
import { type WindowDouble, windowDouble } from './window.ts'

const processes = {
  real: fileURLToPath(new URL('./host.mjs', import.meta.url)),
  hanging: fileURLToPath(new URL('./hang.mjs', import.meta.url)),
}

export type MenuTemplate = Parameters<ElectronParts['setMenu']>[0]
export type MenuItem = MenuTemplate[number]

export type ShownNotification = { readonly title: string; readonly body: string; readonly click: () => void }

/** Simulated conditions of a test. */
export type Circumstances = {
  isPackaged?: boolean
  isFirstInstance?: boolean
  canNotify?: boolean
  /** The system's key store: none, one that can decrypt, or one that cannot. */
  keyStore?: 'none' | 'open' | 'shut'
  hasTray?: boolean
  screens?: readonly Rectangle[]
  /** Behaviour of the next service processes: real, ending immediately, or never ready. */
  service?: 'real' | 'dying' | 'hanging'
  wasOpenedAtLogin?: boolean
}

/** Everything that the app did with Electron. */
const nothingSeen = () => ({
  menu: [] as MenuTemplate,
  tray: null as { icon: string; tip: string; menu: MenuTemplate; click: () => void } | null,
  outside: [] as string[],
  folders: [] as string[],
  copied: [] as string[],
  notices: [] as ShownNotification[],
  exits: [] as number[],
  quits: 0,
  paths: {} as Record<string, string>,
  protocols: [] as string[],
  loginItem: { openAtLogin: false } as Parameters<ElectronParts['app']['setLoginItemSettings']>[0],
  isSandboxed: false,
})

type State = {
  readonly circumstances: Circumstances & { screens: readonly Rectangle[] }
  readonly events: EventEmitter
  readonly windows: WindowDouble[]
  readonly children: ChildProcess[]
  readonly handlers: Handlers
  readonly sessions: Map<string, SessionDouble>
  readonly seen: ReturnType<typeof nothingSeen>
  isQuitting: boolean
}

/**
 * A simulated Electron: windows that only record calls, and the real, built service in a child process of
 * Node. `makeWindow` may create a page of a real Chromium instead.
 */
export function electronDouble(overrides: Circumstances = {}, makeWindow = windowDouble) {
  const state: State = {
    circumstances: { screens: [{ x: 0, y: 0, width: 1920, height: 1040 }], ...overrides },
    events: new EventEmitter(),
    windows: [],
    children: [],
    handlers: {},
    sessions: new Map(),
    seen: nothingSeen(),
    isQuitting: false,
  }
  const { circumstances, events, windows, children, handlers, sessions, seen } = state
  const ipcHandlers = new Map<string, (event: IpcEvent, ...args: unknown[]) => unknown>()
  let becomeReady: () => void = () => {}
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve
  })
  const electron: ElectronParts = {
    app: appDouble(state, ready),
    ipc: { handle: (channel, listener) => void ipcHandlers.set(channel, listener) },
    safeStorage: safeStorageDouble(circumstances),
    session: () => sessionDouble(handlers),
    serverSession(partition) {
      const session = sessions.get(partition) ?? serverSessionDouble()
      sessions.set(partition, session)
      return session
    },
    createWindow(options) {
      const window = makeWindow(options, () => {
        if (!state.isQuitting && windows.every((one) => one.isDestroyed())) events.emit('window-all-closed')
      })
      windows.push(window)
      return window
    },
    createTray: (icon) => createTray(state, icon),
    setMenu: (template) => {
      seen.menu = template
    },
    fork: (module, env) => startChild(state, module, env),
    screens: () => circumstances.screens,
    copy: (text) => void seen.copied.push(text),
    openExternal: async (url) => void seen.outside.push(url),
    openFolder: async (path) => void seen.folders.push(path),
    canNotify: () => circumstances.canNotify ?? true,
    notify: ({ title, body }, click) => void seen.notices.push({ title, body, click }),
  }
  return {
    electron,
    events,
    circumstances,
    windows,
    children,
    ipcHandlers,
    handlers,
    sessions,
    seen,
    becomeReady,
  }
}

function appDouble(state: State, ready: Promise<void>): ElectronParts['app'] {
  const { circumstances, events, seen } = state
  return {
    isPackaged: circumstances.isPackaged ?? true,
    getVersion: () => '9.9.9',
    getLoginItemSettings: () => ({
      openAtLogin: seen.loginItem.openAtLogin === true,
      wasOpenedAtLogin: circumstances.wasOpenedAtLogin === true,
    }),
    setLoginItemSettings: (settings) => {
      seen.loginItem = settings
    },
    setAsDefaultProtocolClient: (protocol) => seen.protocols.push(protocol) > 0,
    setAppUserModelId: () => {},
    setPath: (name, path) => {
      seen.paths[name] = path
    },
    enableSandbox: () => {
      seen.isSandboxed = true
    },
    requestSingleInstanceLock: () => circumstances.isFirstInstance ?? true,
    whenReady: () => ready,
    quit: () => quit(state),
    exit: (code = 0) => void seen.exits.push(code),
    on: (event: string, listener: (...args: never[]) => void) =>
      events.on(event, (...all) => listener(...(all as never[]))),
  }
}

function quit(state: State): void {
  const { events, seen, windows } = state
  seen.quits += 1
  events.emit('before-quit')
  // Like Electron: windows close first, without the event for the last one, then the app is asked.
  state.isQuitting = true
  const open = windows.filter((window) => !window.isDestroyed())
  const isPrevented = open.some((window) => !window.closeByHand())
  state.isQuitting = false
  if (!isPrevented) events.emit('will-quit', { preventDefault: () => {} })
}

const safeStorageDouble = (circumstances: Circumstances): ElectronParts['safeStorage'] => ({
  isAsyncEncryptionAvailable: async () => (circumstances.keyStore ?? 'none') !== 'none',
  encryptStringAsync: async (text) => Buffer.from(text, 'utf8').reverse(),
  async decryptStringAsync(bytes) {
    if (circumstances.keyStore === 'shut') throw new Error('the user said no')
    return { result: Buffer.from(bytes).reverse().toString('utf8'), shouldReEncrypt: false }
  },
  getSelectedStorageBackend: () => 'gnome_libsecret',
})

function createTray({ circumstances, seen }: State, icon: string): ReturnType<ElectronParts['createTray']> {
  if (circumstances.hasTray === false) throw new Error('no tray here')
  const tray = { icon, tip: '', menu: [] as MenuTemplate, click: () => {} }
  seen.tray = tray
  return {
    setImage: (file) => {
      tray.icon = file
    },
    setToolTip: (text) => {
      tray.tip = text
    },
    setMenu: (template) => {
      tray.menu = template
    },
    onClick: (run) => {
      tray.click = run
    },
  }
}

function startChild(
  { circumstances, children }: State,
  module: string,
  env: Readonly<Record<string, string | undefined>>,
): ChildWithOutput {
  const { service = 'real' } = circumstances
  const child = fork(service === 'hanging' ? processes.hanging : processes.real, [module], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    execArgv: [],
  })
  children.push(child)
  if (service === 'dying') child.kill('SIGKILL')
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    postMessage: (message) => {
      if (child.connected) child.send(message)
    },
    on: (event: string, listener: (value: never) => void) =>
      child.on(event, (value) => listener((event === 'exit' ? (value ?? 137) : value) as never)),
    kill: () => child.kill('SIGTERM'),
  }
}
