import type { Clock } from '../lib/clock.ts'
import { openChannel } from '../page/channels.ts'
import { isFrom, lockContents, type Origin } from '../page/security.ts'
import type { createWindowMemory } from '../settings/window-state.ts'
import type { ElectronParts, WindowPart } from './electron-parts.ts'
import { remoteWindowOptions, windowOptions } from './window.ts'

export type MainWindowOptions = {
  readonly electron: Pick<ElectronParts, 'createWindow' | 'screens'>
  readonly preload: string
  readonly icon: string
  readonly memory: ReturnType<typeof createWindowMemory>
  readonly clock: Clock
  readonly origin: Origin
  readonly openExternal: (url: string) => void
  readonly hidesOnClose: () => boolean
  readonly writeLog: (line: string) => void
  /** The session of another computer's server; null for this computer. */
  readonly partition: string | null
  readonly onFocus: () => void
  /** Called when the page could not be loaded. */
  readonly onFailedLoad: () => void
  readonly onClosed: () => void
}

/** Chromium's error code of a load that was replaced by another. */
const abortedCode = -3
/** Automatic reloads of a crashed page per minute. */
const maxReloads = 3

export type MainWindow = {
  /** Shows the console in front, at `path` if given. Does nothing while there is no service. */
  open(path: string | null): void
  /** Reloads a page that failed to load or is from an old address of the service. */
  serviceIsUp(): void
  isContents(sender: object): boolean
  url(): string | null
  exists(): boolean
  /** Closes the window without asking its page. */
  destroy(): void
}

/** The window, and what happened to its page. */
type State = {
  window: WindowPart | null
  /** True if the page failed to load or crashed. */
  isBroken: boolean
  /** Automatic reloads in the last minute. */
  reloads: number
}

function load({ origin, writeLog }: MainWindowOptions, state: State, window: WindowPart, path: string): void {
  const base = origin()
  if (base === null) return
  state.isBroken = false
  // Only logged: `did-fail-load` also reports this failure, and later ones.
  window
    .loadURL(base + path)
    .catch((error: unknown) => writeLog(`the console did not load: ${String(error)}`))
}

/** Records failures of the page, and reloads it after a crash. */
function watchPage(
  { clock, writeLog, onFailedLoad }: MainWindowOptions,
  state: State,
  window: WindowPart,
): void {
  const { webContents } = window
  webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
    if (!isMainFrame || code === abortedCode) return
    state.isBroken = true
    writeLog(`the console did not load: ${description} (${code})`)
    onFailedLoad()
  })
  webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    writeLog(`the console's process ended: ${reason}`)
    state.isBroken = true
    if (state.reloads >= maxReloads || window.isDestroyed()) return
    state.reloads += 1
    clock.after(60_000, () => {
      state.reloads -= 1
    })
    state.isBroken = false
    webContents.reload()
  })
}

function create(options: MainWindowOptions, state: State, path: string): void {
  const { electron, memory, origin, openExternal, hidesOnClose, preload, icon, partition } = options
  const { bounds, isMaximized } = memory.placement(electron.screens())
  const base =
    partition === null ? windowOptions(preload, icon) : remoteWindowOptions(preload, icon, partition)
  const window = electron.createWindow({ ...base, ...bounds })
  state.window = window
  if (isMaximized) window.maximize()
  lockContents(window.webContents, origin, openExternal)
  memory.follow(window)
  window.once('ready-to-show', () => window.show())
  window.on('close', (event) => {
    if (!hidesOnClose()) return
    event.preventDefault()
    window.hide()
  })
  window.on('closed', () => {
    if (state.window === window) state.window = null
    options.onClosed()
  })
  window.on('focus', options.onFocus)
  watchPage(options, state, window)
  load(options, state, window, path)
}

function bringToFront(window: WindowPart): void {
  if (window.isMinimized()) window.restore()
  window.show()
  window.focus()
}

/** The only window of one console. */
export function createMainWindow(options: MainWindowOptions): MainWindow {
  const { origin } = options
  const state: State = { window: null, isBroken: false, reloads: 0 }
  const existing = (): WindowPart | null =>
    state.window === null || state.window.isDestroyed() ? null : state.window
  return {
    open(path) {
      const window = existing()
      if (window === null) {
        if (origin() !== null) create(options, state, path ?? '/')
        return
      }
      bringToFront(window)
      if (path === null) return
      // Navigates inside a working page, so that unsaved input is kept.
      if (!state.isBroken && isFrom(window.webContents.getURL(), origin()))
        window.webContents.send(openChannel, path)
      else load(options, state, window, path)
    },
    serviceIsUp() {
      const window = existing()
      if (window === null) return
      const pageUrl = window.webContents.getURL()
      if (!state.isBroken && isFrom(pageUrl, origin())) return
      const { pathname, search } = URL.canParse(pageUrl) ? new URL(pageUrl) : { pathname: '/', search: '' }
      load(options, state, window, `${pathname}${search}`)
    },
    isContents: (sender) => sender === existing()?.webContents,
    url: () => existing()?.webContents.getURL() ?? null,
    exists: () => existing() !== null,
    destroy: () => existing()?.destroy(),
  }
}
