import type { ServerClient } from '../server/index.ts'
import { createSeal } from './lib/seal.ts'
import type { ShellContext } from './lib/shell-context.ts'
import { createDeviceTokens } from './servers/device-tokens.ts'
import { createServersFlow, type ServersFlow } from './servers/flow.ts'
import { partitionOf } from './servers/server-session.ts'
import { openStoredServers, type StoredServers } from './servers/stored-servers.ts'
import type { Choices } from './settings/choices.ts'
import { createWindowMemory } from './settings/window-state.ts'
import type { ElectronParts } from './windows/electron-parts.ts'
import { createRemoteWindows, type RemoteWindows } from './windows/remote-windows.ts'
import { createServersWindow } from './windows/servers/window.ts'

type Options = {
  readonly electron: ElectronParts
  readonly context: ShellContext
  readonly choices: Choices
  readonly openExternal: (url: string) => void
  readonly openLocal: () => boolean
  readonly onListChange: () => void
  /** Called with the server whose window was focused; null after a window was closed. */
  readonly onFocusChange: (focused: string | null) => void
}

/** The services on other computers: the window in which a person manages them, and their consoles. */
export type Connections = {
  readonly servers: StoredServers
  readonly remotes: RemoteWindows
  showServers(): void
  /** Opens the console of a server, or the window for servers with the reason why that is not possible. */
  openServer(id: string): void
  /** Asks whether to connect to the server of a link. */
  ask(link: string): void
}

export function createConnections(options: Options): Connections {
  const { electron, context, choices, onListChange, onFocusChange, openExternal, openLocal } = options
  const { paths, clock, log, files, platform, computerName } = context
  const { write: writeLog } = log
  const icon = files.icon('icon.png')
  const tokens = createDeviceTokens(createSeal(electron.safeStorage, platform), writeLog)
  const servers = openStoredServers({ file: paths.servers, clock, writeLog, onChange: onListChange })
  const client = once(context.loadServerClient)
  const remotes = createRemoteWindows({
    electron,
    preload: files.preload,
    icon,
    memory: createWindowMemory(paths.remoteWindowState, clock),
    clock,
    client,
    servers,
    tokens,
    choices,
    openExternal,
    showServers: () => showList(),
    onProblem: (id, error) => showList({ id, error }),
    onFocusChange,
    writeLog,
  })
  const flow: ServersFlow = createServersFlow({
    client,
    servers,
    tokens,
    computerName,
    now: clock.now,
    show: (view) => window.show(view),
    openServer: (id, signal, sessionToken) => remotes.open(id, { signal, sessionToken }),
    isOpen: remotes.isOpen,
    closeServer: remotes.close,
    forget: (server) =>
      electron
        .serverSession(partitionOf(server))
        .clearStorageData()
        .catch((error: unknown) => writeLog(`the data of a server was not deleted: ${String(error)}`)),
    openLocal,
    close: () => window.close(),
  })
  const window = createServersWindow({
    electron,
    ipc: electron.ipc,
    preload: files.serversPreload,
    icon,
    flow: () => flow,
    writeLog,
  })
  const showList = (problem?: Parameters<ServersFlow['showList']>[0]): void => {
    window.open()
    flow.showList(problem)
  }
  return {
    servers,
    remotes,
    showServers: () => showList(),
    openServer: (id) => void remotes.open(id).catch((error: unknown) => showList({ id, error })),
    ask(link) {
      window.open()
      void flow.ask(link)
    },
  }
}

/** Returns a function that loads the client once. A failed load is tried again. */
function once(load: () => Promise<ServerClient>): () => Promise<ServerClient> {
  let loaded: Promise<ServerClient> | null = null
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null
      throw error
    })
    return loaded
  }
}
