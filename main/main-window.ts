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
  /** Returns true if closing the window only hides it. */
  readonly isKept: () => boolean
  readonly say: (line: string) => void
}

/** Chromium's error code of a load that was replaced by another. */
const aborted = -3
/** Automatic reloads of a crashed page per minute. */
const mostReloads = 3

export type MainWindow = {
  /** Shows the console in front, at `path` if given. Does nothing while there is no service. */
  open(path: string | null): void
  /** Reloads a page that failed to load or is from an old address of the service. */
  serviceIsUp(): void
  isContents(sender: object): boolean
  url(): string | null
  exists(): boolean
}

/** The only window of the console. */
export function createMainWindow(options: MainWindowOptions): MainWindow {
  const { electron, memory, clock, origin, openOutside, isKept, say } = options
  let window: WindowPart | null = null
  let isBroken = false
  let reloads = 0

  const load = (it: WindowPart, path: string) => {
    const base = origin()
    if (base === null) return
    isBroken = false
    // Only logged: `did-fail-load` also reports this failure, and later ones.
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
      // Navigates inside a working page, so that unsaved input is kept.
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
