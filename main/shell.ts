import { createConnections } from './connections.ts'
import type { ShellContext } from './lib/shell-context.ts'
import { type Console, handleConsoleRequests } from './page/ipc.ts'
import { type Link, linkInArguments } from './page/links.ts'
import { lockSession } from './page/security.ts'
import { attachUrl } from './service/attach.ts'
import { isServiceRunning } from './service/health.ts'
import { createSupervisor, type ServiceState } from './service/supervisor.ts'
import { serviceStarter } from './service-starter.ts'
import { createChoices } from './settings/choices.ts'
import { createLoginItem } from './settings/login-item.ts'
import { openSettings } from './settings/settings.ts'
import { createWindowMemory } from './settings/window-state.ts'
import { choose, menuActions, open, openExternal, openLink, showMenus, showStatus } from './shell-actions.ts'
import type { Parts, State } from './shell-parts.ts'
import type { ElectronParts } from './windows/electron-parts.ts'
import { createMainWindow } from './windows/main-window.ts'
import { createNotices } from './windows/notices.ts'
import { createStatusWindow } from './windows/status-window.ts'
import { createTray } from './windows/tray.ts'

export type Shell = {
  /** Call after Electron is ready. */
  start(): Promise<void>
  /** Shows the console, at `path` if given, as soon as there is a service. */
  open(path: string | null): void
  /** Opens the page of an external link, or asks whether to connect to its server. */
  openLink(link: Link): void
  /** Returns true if the app continues without a window. */
  runsWithoutWindow(): boolean
  /** From now on, closing a window does not hide it. */
  beginQuit(): void
  stop(): Promise<void>
}

/** Milliseconds after which a slow start shows a window. */
const slowStartMs = 2_000

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

/** Returns the console of this computer. */
function localConsole(parts: Parts): Console {
  const { electron, context, state, choices, supervisor, connections } = parts
  const { clock, log, paths } = context
  const notices = createNotices({
    clock,
    isEnabled: () => choices.get().notifiesOfErrors === true,
    show: electron.notify,
    open: (path) => open(parts, path),
  })
  return {
    origin: () => state.url,
    requests: {
      state: () => {
        const service = supervisor.state()
        const isAttached = service.kind === 'running' && !service.isOwn
        return { version: electron.app.getVersion(), logFile: log.path, isAttached, ...choices.get() }
      },
      choose: (choice) => choose(parts, choice),
      openLogFolder: () => electron.openFolder(paths.logs),
      runsFailed: notices.runsFailed,
      showServers: connections.showServers,
    },
  }
}

/** Handles the requests of the consoles, and starts the service. */
async function start(parts: Parts): Promise<void> {
  const { electron, context, state, main, status, supervisor, connections } = parts
  lockSession(electron.session(), () => state.url)
  const local = localConsole(parts)
  handleConsoleRequests(electron.ipc, (sender) =>
    main.isContents(sender) ? local : connections.remotes.consoleOf(sender),
  )
  state.isReady = true
  if (state.pendingLink !== null) connections.ask(state.pendingLink)
  state.pendingLink = null
  context.clock.after(slowStartMs, () => {
    if (supervisor.state().kind === 'starting' && state.pendingPath !== null) status.show({ kind: 'waiting' })
  })
  await supervisor.start()
}

/** Returns the state at the start: with a link to a server, the console of this computer does not open. */
function firstState(args: readonly string[], isHiddenStart: boolean): State {
  const link = linkInArguments(args)
  return {
    isQuitting: false,
    pendingPath: link === null ? (isHiddenStart ? null : '/') : link.kind === 'page' ? link.path : null,
    pendingLink: link?.kind === 'pair' ? link.link : null,
    isReady: false,
    focused: null,
    url: null,
  }
}

function changeFocus(parts: Parts, focused: string | null): void {
  parts.state.focused = focused
  showMenus(parts)
}

/** The window of this computer's console. */
function createLocalWindow(
  electron: ElectronParts,
  { paths, clock, files, log }: ShellContext,
  { parts, hidesOnClose }: { readonly parts: () => Parts; readonly hidesOnClose: () => boolean },
) {
  return createMainWindow({
    electron,
    preload: files.preload,
    icon: files.icon('icon.png'),
    memory: createWindowMemory(paths.windowState, clock),
    clock,
    origin: () => parts().state.url,
    openExternal: (address) => openExternal(parts(), address),
    hidesOnClose,
    writeLog: log.write,
    partition: null,
    onFocus: () => changeFocus(parts(), null),
    onFailedLoad: () => {},
    onClosed: () => {},
  })
}

function createShellConnections(
  electron: ElectronParts,
  context: ShellContext,
  choices: Parts['choices'],
  parts: () => Parts,
) {
  return createConnections({
    electron,
    context,
    choices,
    openExternal: (address) => openExternal(parts(), address),
    openLocal: () => {
      open(parts(), null)
      return parts().main.exists() || parts().status.isOpen()
    },
    onListChange: () => showMenus(parts()),
    onFocusChange: (focused) => changeFocus(parts(), focused),
  })
}

/** Creates the desktop app by connecting its parts, which contain the behaviour. */
export function createShell(electron: ElectronParts, context: ShellContext): Shell {
  const { app } = electron
  const { args, env, platform, execPath, home, paths, log, clock, files } = context
  const { write: writeLog } = log
  const { icon: iconFile } = files
  const settings = openSettings(paths.settings)
  const loginItem = createLoginItem({ app, platform, env, home, execPath, writeLog })
  const isHiddenStart = loginItem.wasOpenedAtSignIn(args)
  const state = firstState(args, isHiddenStart)
  const actions = menuActions(() => parts)
  const runsWithoutWindow = () =>
    platform === 'darwin' || (parts.tray.exists() && (settings.get().keepsRunning || isHiddenStart))
  const choices = createChoices({
    settings,
    loginItem,
    platform,
    canNotify: electron.canNotify,
    onChange: () => showMenus(parts),
  })
  const hidesOnClose = () => !state.isQuitting && runsWithoutWindow()
  const parts: Parts = {
    electron,
    context,
    state,
    actions,
    choices,
    main: createLocalWindow(electron, context, { parts: () => parts, hidesOnClose }),
    connections: createShellConnections(electron, context, choices, () => parts),
    status: createStatusWindow({
      createWindow: electron.createWindow,
      icon: iconFile('icon.png'),
      act: (action) => {
        if (action === 'try-again') actions.tryAgain()
        else if (action === 'quit') actions.quit()
        else if (action === 'show-servers') actions.showServers()
        else actions.openLogFolder()
      },
    }),
    supervisor: createSupervisor({
      clock,
      isServiceRunning,
      attachTo: attachUrl(args),
      onState: (service) => serviceChanged(parts, service),
      writeLog,
      start: serviceStarter(electron, context),
    }),
    tray: createTray({ electron, platform, iconFile, onClick: () => actions.open(null), writeLog }),
  }
  return {
    open: actions.open,
    openLink: (link) => openLink(parts, link),
    runsWithoutWindow,
    beginQuit: () => {
      state.isQuitting = true
    },
    start: () => start(parts),
    stop: () => parts.supervisor.stop(),
  }
}
