import type { DesktopChoice } from '../contract/desktop.ts'
import { attachUrl } from './attach.ts'
import { createChoices } from './choices.ts'
import type { ElectronParts } from './electron-parts.ts'
import { answers } from './health.ts'
import { answerConsole } from './ipc.ts'
import { createKeyStore } from './key-store.ts'
import { pathInArguments } from './links.ts'
import { createLoginItem } from './login-item.ts'
import { createMainWindow } from './main-window.ts'
import { type Actions, applicationMenu, trayMenu } from './menu.ts'
import { createNotices } from './notices.ts'
import { lockSession } from './security.ts'
import { startServiceProcess } from './service-process.ts'
import { openSettings } from './settings.ts'
import { createStatusWindow } from './status-window.ts'
import { createSupervisor, type ServiceState } from './supervisor.ts'
import type { Surroundings } from './surroundings.ts'
import { createTray } from './tray.ts'
import { createWindowMemory } from './window-state.ts'

export type Shell = {
  /** Call after Electron is ready. */
  start(): Promise<void>
  /** Shows the console, at `path` if given, as soon as there is a service. */
  open(path: string | null): void
  /** Returns true if the app continues without a window. */
  isKept(): boolean
  /** From now on, closing a window does not hide it. */
  beginQuit(): void
  stop(): Promise<void>
}

/** Milliseconds after which a slow start shows a window. */
const patienceMs = 2_000

/** Creates the desktop app: connects its parts. Each rule is in one of the parts. */
export function createShell(electron: ElectronParts, around: Surroundings): Shell {
  const { app } = electron
  const { args, env, platform, paths, log, clock, files } = around
  const { say } = log
  const settings = openSettings(paths.settings)
  const loginItem = createLoginItem({ app, platform, env, home: around.home, execPath: around.execPath })
  const keyStore = createKeyStore({
    safeStorage: electron.safeStorage,
    file: paths.wrappedKeys,
    platform,
    wish: env['KEY_STORE'],
    clock,
    say,
  })
  const isHiddenStart = loginItem.wasOpenedAtSignIn(args)
  let isQuitting = false
  /** The path to show when there is a service; null: none. */
  let wanted = pathInArguments(args) ?? (isHiddenStart ? null : '/')
  /** The service's URL, or the last one during a restart, so that the open page remains valid. */
  let url: string | null = null

  const openOutside = (address: string) =>
    void electron
      .openOutside(address)
      .catch((error: unknown) => say(`the browser was not opened: ${String(error)}`))
  const openLogFolder = () => electron.openFolder(paths.logs)
  const isKept = () =>
    platform === 'darwin' || (tray.exists() && (settings.get().keepsRunning || isHiddenStart))

  const showMenus = () => {
    const state = { ...choices.get(), service: supervisor.state(), platform, isPackaged: app.isPackaged }
    electron.setMenu(applicationMenu(state, actions))
    tray.show(state.service, trayMenu(state, actions))
  }
  const choices = createChoices({
    settings,
    loginItem,
    platform,
    canNotify: electron.canNotify,
    onChange: showMenus,
  })

  const main = createMainWindow({
    electron,
    preload: files.preload,
    icon: files.icon('icon.png'),
    memory: createWindowMemory(paths.windowState, clock),
    clock,
    origin: () => url,
    openOutside,
    isKept: () => !isQuitting && isKept(),
    say,
  })
  const status = createStatusWindow({
    createWindow: electron.createWindow,
    icon: files.icon('icon.png'),
    act: (action) => {
      if (action === 'try-again') actions.tryAgain()
      else if (action === 'quit') actions.quit()
      else actions.openLogFolder()
    },
  })

  const open = (path: string | null) => {
    const { kind } = supervisor.state()
    // An existing window is shown in any state: the console shows the state of the service.
    if (kind === 'running' || main.exists()) main.open(path)
    else wanted = path ?? wanted ?? '/'
    showStatus()
  }
  const showStatus = () => {
    const state = supervisor.state()
    if (state.kind === 'failed') status.show({ kind: 'failed', reason: state.reason, logFile: log.path })
    else if (state.kind !== 'running' && status.isOpen()) status.show({ kind: 'waiting' })
  }
  const onState = (state: ServiceState) => {
    if (isQuitting) return
    showMenus()
    showStatus()
    if (state.kind !== 'running') return
    url = state.url
    main.serviceIsUp()
    if (wanted !== null) main.open(wanted)
    wanted = null
    // Last, because the app would quit when its only window closes.
    status.close()
  }

  const supervisor = createSupervisor({
    clock,
    answers,
    attachTo: attachUrl(args),
    onState,
    say,
    start: async (how) => {
      // Before the start limit begins, because the system may prompt the user first.
      const handed = await keyStore.unlock()
      how.signal.throwIfAborted()
      return startServiceProcess({
        ...how,
        keys: { ...handed, keep: keyStore.keep },
        clock,
        fork: () => {
          const child = electron.fork(files.serviceHost, { ...env, DATA_DIR: paths.dataDir })
          log.follow(child.stdout)
          log.follow(child.stderr)
          return child
        },
      })
    },
  })

  const choose = (choice: DesktopChoice) => {
    try {
      choices.change(choice)
    } catch (error) {
      say(`not kept: ${String(error)}`)
      throw error
    }
  }

  const actions: Actions = {
    open,
    openInBrowser: () => {
      const shown = main.url() ?? url
      if (shown !== null) openOutside(shown)
    },
    copyAddress: () => {
      if (url !== null) electron.copy(url)
    },
    openDocs: (path) => {
      if (url !== null) openOutside(url + path)
    },
    openLogFolder: () =>
      void openLogFolder().catch((error: unknown) => say(`the log folder was not opened: ${String(error)}`)),
    tryAgain: () => void supervisor.retry(),
    choose: (choice) => {
      try {
        choose(choice)
      } catch {
        // The menu item is toggled by the click; restore the actual state.
        showMenus()
      }
    },
    quit: () => app.quit(),
  }
  const tray = createTray({ electron, platform, iconFile: files.icon, onClick: () => open(null), say })
  const notices = createNotices({
    clock,
    isWanted: () => choices.get().notifiesOfErrors === true,
    show: electron.notify,
    open,
  })

  return {
    open,
    isKept,
    beginQuit: () => {
      isQuitting = true
    },
    async start() {
      lockSession(electron.session(), () => url)
      answerConsole(
        electron.ipc,
        { isWindow: main.isContents, origin: () => url },
        {
          state: () => {
            const service = supervisor.state()
            const isAttached = service.kind === 'running' && !service.isOwn
            return { version: app.getVersion(), logFile: log.path, isAttached, ...choices.get() }
          },
          choose,
          openLogFolder,
          runsFailed: notices.runsFailed,
        },
      )
      clock.after(patienceMs, () => {
        if (supervisor.state().kind === 'starting' && wanted !== null) status.show({ kind: 'waiting' })
      })
      await supervisor.start()
    },
    stop: () => supervisor.stop(),
  }
}
