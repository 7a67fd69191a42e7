import { openChannel } from './channels.ts'
import type { Clock } from './clock.ts'
import type { ElectronParts, WindowPart } from './electron-parts.ts'
import { isFrom, lockContents, type Origin } from './security.ts'
import { windowOptions } from './window.ts'
import type { createWindowMemory } from './window-state.ts'

export type MainWindowOptions = {
  readonly electron: Pick<ElectronParts, 'createWindow' | 'screens'>
  readonly preload: string
  readonly icon: string
  readonly memory: ReturnType<typeof createWindowMemory>
  readonly clock: Clock
  readonly origin: Origin
  readonly openOutside: (url: string) => void
  /** Whether closing the window only hides it. */
  readonly isKept: () => boolean
  readonly say: (line: string) => void
}

/** Chromium's code for a load that another one replaced. */
const aborted = -3
/** A page that dies more often than this in a minute is not loaded again by itself. */
const mostReloads = 3

export type MainWindow = {
  /** Brings the console to the front, at `path` if one is given. Without a service there is nothing to show yet. */
  open(path: string | null): void
  /** The service is there, perhaps at another address: a page that could not load, or is of the old one, loads anew. */
  serviceIsUp(): void
  isContents(sender: object): boolean
  url(): string | null
  exists(): boolean
}

/** The one window of the console. */
export function createMainWindow(options: MainWindowOptions): MainWindow {
  const { electron, memory, clock, origin, openOutside, isKept, say } = options
  let window: WindowPart | null = null
  let isBroken = false
  let reloads = 0

  const load = (it: WindowPart, path: string) => {
    const base = origin()
    if (base === null) return
    isBroken = false
    // A failure is told by `did-fail-load` too, which also knows of later ones.
    it.loadURL(base + path).catch((error: unknown) => say(`the console did not load: ${String(error)}`))
  }

  const create = (path: string) => {
    const { bounds, isMaximized } = memory.placement(electron.screens())
    const it = electron.createWindow({ ...windowOptions(options.preload, options.icon), ...bounds })
    window = it
    if (isMaximized) it.maximize()
    const { webContents } = it
    lockContents(webContents, origin, openOutside)
    memory.follow(it)
    it.once('ready-to-show', () => it.show())
    it.on('close', (event) => {
      if (!isKept()) return
      event.preventDefault()
      it.hide()
    })
    it.on('closed', () => {
      if (window === it) window = null
    })
    webContents.on('did-fail-load', (_event, code, description, _url, isMainFrame) => {
      if (!isMainFrame || code === aborted) return
      isBroken = true
      say(`the console did not load: ${description} (${code})`)
    })
    webContents.on('render-process-gone', (_event, { reason }) => {
      if (reason === 'clean-exit') return
      say(`the console's process is gone: ${reason}`)
      isBroken = true
      if (reloads >= mostReloads || it.isDestroyed()) return
      reloads += 1
      clock.after(60_000, () => {
        reloads -= 1
      })
      isBroken = false
      webContents.reload()
    })
    load(it, path)
  }

  const toFront = (it: WindowPart) => {
    if (it.isMinimized()) it.restore()
    it.show()
    it.focus()
  }

  return {
    open(path) {
      if (window === null || window.isDestroyed()) {
        if (origin() !== null) create(path ?? '/')
        return
      }
      toFront(window)
      if (path === null) return
      // Within the page when it lives: what a person has typed into it stays.
      if (!isBroken && isFrom(window.webContents.getURL(), origin()))
        window.webContents.send(openChannel, path)
      else load(window, path)
    },
    serviceIsUp() {
      if (window === null || window.isDestroyed()) return
      const shown = window.webContents.getURL()
      if (!isBroken && isFrom(shown, origin())) return
      const { pathname, search } = URL.canParse(shown) ? new URL(shown) : { pathname: '/', search: '' }
      load(window, `${pathname}${search}`)
    },
    isContents: (sender) => window !== null && !window.isDestroyed() && sender === window.webContents,
    url: () => (window === null || window.isDestroyed() ? null : window.webContents.getURL()),
    exists: () => window !== null && !window.isDestroyed(),
  }
}
