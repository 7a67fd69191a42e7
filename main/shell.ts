import type { DesktopChoice } from '../contract/system/desktop.ts'
import type { Surroundings } from './lib/surroundings.ts'
import { handleConsoleRequests } from './page/ipc.ts'
import { pathInArguments } from './page/links.ts'
import { lockSession } from './page/security.ts'
import { attachUrl } from './service/attach.ts'
import { isServiceRunning } from './service/health.ts'
import { createSupervisor, type ServiceState } from './service/supervisor.ts'
import { serviceStarter } from './service-starter.ts'
import { createChoices } from './settings/choices.ts'
import { createLoginItem } from './settings/login-item.ts'
import { openSettings } from './settings/settings.ts'
import { createWindowMemory } from './settings/window-state.ts'
import type { ElectronParts } from './windows/electron-parts.ts'
import { createMainWindow } from './windows/main-window.ts'
import { type Actions, applicationMenu, trayMenu } from './windows/menu.ts'
import { createNotices } from './windows/notices.ts'
import { createStatusWindow } from './windows/status-window.ts'
import { createTray } from './windows/tray.ts'

export type Shell = {
  /** Call after Electron is ready. */
  start(): Promise<void>
  /** Shows the console, at `path` if given, as soon as there is a service. */
  open(path: string | null): void
  /** Returns true if the app continues without a window. */
  runsWithoutWindow(): boolean
  /** From now on, closing a window does not hide it. */
  beginQuit(): void
  stop(): Promise<void>
}

/** Milliseconds after which a slow start shows a window. */
const slowStartMs = 2_000

/** The state of the app while it runs. */
type State = {
  isQuitting: boolean
  /** The path to show when there is a service; null: none. */
  pendingPath: string | null
  /** The service's URL, or the last one during a restart, so that the open page remains valid. */
  url: string | null
}

/** The parts of the app that use each other. */
type Parts = {
  readonly electron: ElectronParts
  readonly surroundings: Surroundings
  readonly state: State
  readonly choices: ReturnType<typeof createChoices>
  readonly main: ReturnType<typeof createMainWindow>
  readonly status: ReturnType<typeof createStatusWindow>
  readonly supervisor: ReturnType<typeof createSupervisor>
  readonly tray: ReturnType<typeof createTray>
  readonly actions: Actions
}

function openOutside(
  { electron, surroundings }: Pick<Parts, 'electron' | 'surroundings'>,
  address: string,
): void {
  const failed = (error: unknown) => surroundings.log.write(`the browser was not opened: ${String(error)}`)
  void electron.openOutside(address).catch(failed)
}

function showMenus({ electron, surroundings, choices, supervisor, tray, actions }: Parts): void {
  const { platform } = surroundings
  const service = supervisor.state()
  const state = { ...choices.get(), service, platform, isPackaged: electron.app.isPackaged }
  electron.setMenu(applicationMenu(state, actions))
  tray.show(service, trayMenu(state, actions))
}

function showStatus({ surroundings, status, supervisor }: Parts): void {
  const state = supervisor.state()
  if (state.kind === 'failed')
    status.show({ kind: 'failed', reason: state.reason, logFile: surroundings.log.path })
  else if (state.kind !== 'running' && status.isOpen()) status.show({ kind: 'waiting' })
}

function open(parts: Parts, path: string | null): void {
  const { main, state, supervisor } = parts
  const { kind } = supervisor.state()
  // An existing window is shown in any state: the console shows the state of the service.
  if (kind === 'running' || main.exists()) main.open(path)
  else state.pendingPath = path ?? state.pendingPath ?? '/'
  showStatus(parts)
}

function serviceChanged(parts: Parts, service: ServiceState): void {
  const { main, state, status } = parts
  if (state.isQuitting) return
  showMenus(parts)
  showStatus(parts)
  if (service.kind !== 'running') return
  state.url = service.url
  main.serviceIsUp()
  if (state.pendingPath !== null) main.open(state.pendingPath)
  state.pendingPath = null
  // Last, because the app would quit when its only window closes.
  status.close()
}

function choose({ surroundings, choices }: Parts, choice: DesktopChoice): void {
  try {
    choices.change(choice)
  } catch (error) {
    surroundings.log.write(`not saved: ${String(error)}`)
    throw error
  }
}

/** Returns the actions of the menus. `parts` is called when one is chosen. */
function menuActions(parts: () => Parts): Actions {
  const openAddress = (address: string | null): void => {
    if (address !== null) openOutside(parts(), address)
  }
  return {
    open: (path) => open(parts(), path),
    openInBrowser: () => openAddress(parts().main.url() ?? parts().state.url),
    copyAddress: () => {
      const { electron, state } = parts()
      if (state.url !== null) electron.copy(state.url)
    },
    openDocs: (path) => {
      const { url } = parts().state
      openAddress(url === null ? null : url + path)
    },
    openLogFolder: () => {
      const { electron, surroundings } = parts()
      const { log, paths } = surroundings
      const failed = (error: unknown) => log.write(`the log folder was not opened: ${String(error)}`)
      void electron.openFolder(paths.logs).catch(failed)
    },
    tryAgain: () => void parts().supervisor.retry(),
    choose: (choice) => {
      try {
        choose(parts(), choice)
      } catch {
        // The menu item is toggled by the click; restore the actual state.
        showMenus(parts())
      }
    },
    quit: () => parts().electron.app.quit(),
  }
}

/** Handles the console's requests, and starts the service. */
async function start(parts: Parts): Promise<void> {
  const { electron, surroundings, state, choices, main, status, supervisor } = parts
  const { clock, log, paths } = surroundings
  const notices = createNotices({
    clock,
    isEnabled: () => choices.get().notifiesOfErrors === true,
    show: electron.notify,
    open: (path) => open(parts, path),
  })
  lockSession(electron.session(), () => state.url)
  handleConsoleRequests(
    electron.ipc,
    { isWindow: main.isContents, origin: () => state.url },
    {
      state: () => {
        const service = supervisor.state()
        const isAttached = service.kind === 'running' && !service.isOwn
        return { version: electron.app.getVersion(), logFile: log.path, isAttached, ...choices.get() }
      },
      choose: (choice) => choose(parts, choice),
      openLogFolder: () => electron.openFolder(paths.logs),
      runsFailed: notices.runsFailed,
    },
  )
  clock.after(slowStartMs, () => {
    if (supervisor.state().kind === 'starting' && state.pendingPath !== null) status.show({ kind: 'waiting' })
  })
  await supervisor.start()
}

/** Creates the desktop app: connects its parts. Each rule is in one of the parts. */
export function createShell(electron: ElectronParts, surroundings: Surroundings): Shell {
  const { app } = electron
  const { args, env, platform, execPath, home, paths, log, clock, files } = surroundings
  const { write: writeLog } = log
  const { icon: iconFile } = files
  const settings = openSettings(paths.settings)
  const loginItem = createLoginItem({ app, platform, env, home, execPath })
  const isHiddenStart = loginItem.wasOpenedAtSignIn(args)
  const pendingPath = pathInArguments(args) ?? (isHiddenStart ? null : '/')
  const state: State = { isQuitting: false, pendingPath, url: null }
  const actions = menuActions(() => parts)
  const runsWithoutWindow = () =>
    platform === 'darwin' || (parts.tray.exists() && (settings.get().keepsRunning || isHiddenStart))
  const parts: Parts = {
    electron,
    surroundings,
    state,
    actions,
    choices: createChoices({
      settings,
      loginItem,
      platform,
      canNotify: electron.canNotify,
      onChange: () => showMenus(parts),
    }),
    main: createMainWindow({
      electron,
      preload: files.preload,
      icon: iconFile('icon.png'),
      memory: createWindowMemory(paths.windowState, clock),
      clock,
      origin: () => state.url,
      openOutside: (address) => openOutside(parts, address),
      hidesOnClose: () => !state.isQuitting && runsWithoutWindow(),
      writeLog,
    }),
    status: createStatusWindow({
      createWindow: electron.createWindow,
      icon: iconFile('icon.png'),
      act: (action) => {
        if (action === 'try-again') actions.tryAgain()
        else if (action === 'quit') actions.quit()
        else actions.openLogFolder()
      },
    }),
    supervisor: createSupervisor({
      clock,
      isServiceRunning,
      attachTo: attachUrl(args),
      onState: (service) => serviceChanged(parts, service),
      writeLog,
      start: serviceStarter(electron, surroundings),
    }),
    tray: createTray({ electron, platform, iconFile, onClick: () => actions.open(null), writeLog }),
  }
  return {
    open: actions.open,
    runsWithoutWindow,
    beginQuit: () => {
      state.isQuitting = true
    },
    start: () => start(parts),
    stop: () => parts.supervisor.stop(),
  }
}
