import type { DesktopChoice } from '../contract/system/desktop.ts'
import type { Link } from './page/links.ts'
import type { Parts } from './shell-parts.ts'
import { type Actions, applicationMenu, trayMenu } from './windows/menu.ts'

export function openExternal(
  { electron, context }: Pick<Parts, 'electron' | 'context'>,
  address: string,
): void {
  const failed = (error: unknown) => context.log.write(`the browser was not opened: ${String(error)}`)
  void electron.openExternal(address).catch(failed)
}

export function showMenus({ electron, context, choices, supervisor, tray, actions, ...parts }: Parts): void {
  const { platform } = context
  const service = supervisor.state()
  const { isPackaged } = electron.app
  const servers = parts.connections.servers.list()
  const { focused } = parts.state
  const state = { ...choices.get(), service, platform, isPackaged, servers, focused }
  electron.setMenu(applicationMenu(state, actions))
  tray.show(service, trayMenu(state, actions))
}

export function showStatus({ context, status, supervisor }: Parts): void {
  const state = supervisor.state()
  if (state.kind === 'failed')
    status.show({ kind: 'failed', reason: state.reason, logFile: context.log.path })
  else if (state.kind !== 'running' && status.isOpen()) status.show({ kind: 'waiting' })
}

/** Shows the console of this computer, as soon as there is a service. */
export function open(parts: Parts, path: string | null): void {
  const { main, state, supervisor } = parts
  const { kind } = supervisor.state()
  // An existing window is shown in any state: the console shows the state of the service.
  if (kind === 'running' || main.exists()) main.open(path)
  else state.pendingPath = path ?? state.pendingPath ?? '/'
  showStatus(parts)
}

/** Opens a page of the console in the focused window. */
function go(parts: Parts, path: string): void {
  const { state, connections } = parts
  if (state.focused === null) open(parts, path)
  else void connections.remotes.open(state.focused, { path })
}

export function openLink(parts: Parts, link: Link): void {
  if (link.kind === 'page') open(parts, link.path)
  else if (parts.state.isReady) parts.connections.ask(link.link)
  else parts.state.pendingLink = link.link
}

export function choose({ context, choices }: Parts, choice: DesktopChoice): void {
  try {
    choices.change(choice)
  } catch (error) {
    context.log.write(`the setting was not saved: ${String(error)}`)
    throw error
  }
}

/** Returns the actions of the menus. `parts` is called when one is chosen. */
export function menuActions(parts: () => Parts): Actions {
  const openAddress = (address: string | null): void => {
    if (address !== null) openExternal(parts(), address)
  }
  return {
    open: (path) => open(parts(), path),
    go: (path) => go(parts(), path),
    openServer: (id) => parts().connections.openServer(id),
    showServers: () => parts().connections.showServers(),
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
      const { electron, context } = parts()
      const { log, paths } = context
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
