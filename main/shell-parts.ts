import type { Connections } from './connections.ts'
import type { ShellContext } from './lib/shell-context.ts'
import type { Supervisor } from './service/supervisor.ts'
import type { Choices } from './settings/choices.ts'
import type { ElectronParts } from './windows/electron-parts.ts'
import type { MainWindow } from './windows/main-window.ts'
import type { Actions } from './windows/menu.ts'
import type { StatusWindow } from './windows/status-window.ts'
import type { createTray } from './windows/tray.ts'

/** The state of the app while it runs. */
export type State = {
  isQuitting: boolean
  /** The path to show when there is a service; null: none. */
  pendingPath: string | null
  /** The link to a server that arrived before Electron was ready. */
  pendingLink: string | null
  isReady: boolean
  /** The server whose window is focused; null: this computer. */
  focused: string | null
  /** The service's URL, or the last one during a restart, so that the open page remains valid. */
  url: string | null
}

/** The parts of the app that use each other. */
export type Parts = {
  readonly electron: ElectronParts
  readonly context: ShellContext
  readonly state: State
  readonly choices: Choices
  readonly main: MainWindow
  readonly status: StatusWindow
  readonly supervisor: Supervisor
  readonly connections: Connections
  readonly tray: ReturnType<typeof createTray>
  readonly actions: Actions
}
