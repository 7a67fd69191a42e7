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
    const created = createWindow(statusWindowOptions(icon))
    window = created
    const { webContents } = created
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
    created.once('ready-to-show', () => created.show())
    created.on('closed', () => {
      if (window === created) window = null
    })
    return created
  }

  return {
    show(page) {
      const current = window ?? create()
      // The page is generated, so loading fails only if the window was closed meanwhile.
      current.loadURL(statusUrl(page)).catch(() => {})
      if (current.isMinimized()) current.restore()
      if (page.kind === 'failed') current.focus()
    },
    close() {
      const current = window
      window = null
      current?.destroy()
    },
    isOpen: () => window !== null,
  }
}
