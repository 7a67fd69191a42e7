import type { ElectronParts, WindowPart } from './electron-parts.ts'
import { actionOf, type StatusAction, type StatusPage, statusUrl } from './status-page.ts'
import { statusWindowOptions } from './window.ts'

export type StatusWindow = {
  show(page: StatusPage): void
  close(): void
  isOpen(): boolean
}

type Options = {
  readonly createWindow: ElectronParts['createWindow']
  readonly icon: string
  readonly act: (action: StatusAction) => void
}

/**
 * The window that is shown while there is no service: it shows progress, or the failure and possible actions.
 */
export function createStatusWindow({ createWindow, icon, act }: Options): StatusWindow {
  let window: WindowPart | null = null

  const create = () => {
    const it = createWindow(statusWindowOptions(icon))
    window = it
    const { webContents } = it
    // Prevents all navigation. The buttons are navigations, so that the page needs no script.
    webContents.on('will-navigate', (event) => {
      event.preventDefault()
      const action = actionOf(event.url)
      if (action !== null) act(action)
    })
    webContents.on('will-redirect', (event) => event.preventDefault())
    webContents.on('will-frame-navigate', (event) => event.preventDefault())
    webContents.on('will-attach-webview', (event) => event.preventDefault())
    webContents.setWindowOpenHandler(() => ({ action: 'deny' }))
    it.once('ready-to-show', () => it.show())
    it.on('closed', () => {
      if (window === it) window = null
    })
    return it
  }

  return {
    show(page) {
      const it = window ?? create()
      // The page is generated, so loading fails only if the window was closed meanwhile.
      it.loadURL(statusUrl(page)).catch(() => {})
      if (it.isMinimized()) it.restore()
      if (page.kind === 'failed') it.focus()
    },
    close() {
      const it = window
      window = null
      it?.destroy()
    },
    isOpen: () => window !== null,
  }
}
