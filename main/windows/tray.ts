import type { MenuItemConstructorOptions } from 'electron'
import type { ServiceState } from '../service/supervisor.ts'
import type { ElectronParts, TrayPart } from './electron-parts.ts'
import { texts } from './texts.ts'

/** Returns the icon for a state: normal, grey while there is no service, red after a failure. */
function trayIcon(platform: NodeJS.Platform, { kind }: ServiceState): string {
  // macOS colours a template image itself.
  if (platform === 'darwin') return 'trayTemplate.png'
  if (kind === 'running') return 'tray.png'
  return kind === 'failed' ? 'tray-failed.png' : 'tray-waiting.png'
}

type Options = {
  readonly electron: Pick<ElectronParts, 'createTray'>
  readonly platform: NodeJS.Platform
  readonly iconFile: (name: string) => string
  readonly onClick: () => void
  readonly writeLog: (line: string) => void
}

/** The tray icon. All functions work without a tray. */
export function createTray({ electron, platform, iconFile, onClick, writeLog }: Options) {
  let tray: TrayPart | null = null
  const create = (icon: string): TrayPart | null => {
    try {
      const created = electron.createTray(icon)
      // On macOS a click opens the menu.
      if (platform !== 'darwin') created.onClick(onClick)
      return created
    } catch (error) {
      writeLog(`no tray: ${String(error)}`)
      return null
    }
  }
  return {
    exists: () => tray !== null,
    show(state: ServiceState, menu: MenuItemConstructorOptions[]): void {
      const icon = iconFile(trayIcon(platform, state))
      tray ??= create(icon)
      if (tray === null) return
      tray.setImage(icon)
      tray.setToolTip(`${texts.product}: ${texts.status(state)}`)
      tray.setMenu(menu)
    },
  }
}
