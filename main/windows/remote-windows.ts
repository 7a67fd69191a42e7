import type { ServerClient } from '../../server/index.ts'
import type { Clock } from '../lib/clock.ts'
import type { Console } from '../page/ipc.ts'
import type { DeviceTokens } from '../servers/device-tokens.ts'
import { partitionOf, pinSession } from '../servers/server-session.ts'
import type { StoredServer, StoredServers } from '../servers/stored-servers.ts'
import type { Choices } from '../settings/choices.ts'
import type { createWindowMemory } from '../settings/window-state.ts'
import type { ElectronParts } from './electron-parts.ts'
import { createMainWindow, type MainWindow } from './main-window.ts'
import { createNotices } from './notices.ts'

type Options = {
  readonly electron: Pick<ElectronParts, 'createWindow' | 'screens' | 'serverSession' | 'notify'>
  readonly preload: string
  readonly icon: string
  readonly memory: ReturnType<typeof createWindowMemory>
  readonly clock: Clock
  readonly client: () => Promise<ServerClient>
  readonly servers: StoredServers
  readonly tokens: DeviceTokens
  readonly choices: Choices
  readonly openExternal: (url: string) => void
  readonly showServers: () => void
  /** Called with an error of a server whose window is open. */
  readonly onProblem: (id: string, error: unknown) => void
  /** Called with the server whose window was focused; null after a window was closed. */
  readonly onFocusChange: (focused: string | null) => void
  readonly writeLog: (line: string) => void
}

export type RemoteWindows = {
  /**
   * Shows the console of a server, at `path` if given. Rejects if the server does not accept this device, or if
   * the signal is aborted before the window is open.
   */
  open(
    id: string,
    options?: {
      readonly path?: string
      readonly sessionToken?: string | undefined
      readonly signal?: AbortSignal
    },
  ): Promise<void>
  isOpen(id: string): boolean
  close(id: string): void
  consoleOf(sender: object): Console | null
}

/** The window of one server. */
type Remote = {
  readonly server: StoredServer
  readonly window: MainWindow
  readonly console: Console
  /** The token of a session that was opened before the window; null once the page has requested it. */
  sessionToken: string | null
}

/** The windows of other computers' consoles, one for each server. */
export function createRemoteWindows(options: Options): RemoteWindows {
  const remotes = new Map<string, Remote>()
  const existing = (id: string): Remote | null => {
    const remote = remotes.get(id)
    return remote?.window.exists() === true ? remote : null
  }
  return {
    async open(id, { path = null, sessionToken, signal } = {}) {
      const shown = existing(id)
      if (shown !== null) {
        shown.window.open(path)
        return
      }
      const server = options.servers.get(id)
      if (server === null) throw new Error('This app is not paired with the server any more.')
      // Open the session first: it fails if the server is unreachable or lacks the pinned certificate.
      const token = sessionToken ?? (await openSession(options, server))
      signal?.throwIfAborted()
      const remote = existing(id) ?? create(options, server, (closed) => remotes.delete(closed))
      remotes.set(id, remote)
      remote.sessionToken = token
      remote.window.open(path)
    },
    isOpen: (id) => existing(id) !== null,
    close: (id) => existing(id)?.window.destroy(),
    consoleOf: (sender) =>
      [...remotes.values()].find(({ window }) => window.isContents(sender))?.console ?? null,
  }
}

async function openSession({ client, tokens }: Options, server: StoredServer): Promise<string> {
  const { openSession: request } = await client()
  return (await request(server, await tokens.reveal(server))).token
}

function create(options: Options, server: StoredServer, onClosed: (id: string) => void): Remote {
  const { electron, onFocusChange, onProblem, writeLog } = options
  const { id, origin } = server
  const partition = partitionOf(server)
  pinSession(electron.serverSession(partition), server, options)
  const window = createMainWindow({
    ...options,
    partition,
    origin: () => origin,
    hidesOnClose: () => false,
    onFocus: () => onFocusChange(id),
    onFailedLoad: () => {
      // Open a session through Node: its error contains the reason of the failure.
      openSession(options, server).then(
        () => writeLog(`${origin} answers, but its console did not load`),
        (error: unknown) => onProblem(id, error),
      )
    },
    onClosed: () => {
      onClosed(id)
      onFocusChange(null)
    },
  })
  const remote: Remote = {
    server,
    window,
    sessionToken: null,
    console: { origin: () => origin, requests: requestsOf(options, () => remote) },
  }
  return remote
}

function requestsOf(options: Options, remote: () => Remote): Console['requests'] {
  const { choices, showServers, clock, servers, electron } = options
  const notices = createNotices({
    clock,
    isEnabled: () => choices.get().notifiesOfErrors === true,
    show: ({ title, body }, onClick) => {
      const { id, name } = remote().server
      electron.notify({ title: `${servers.get(id)?.name ?? name}: ${title}`, body }, onClick)
    },
    open: (path) => remote().window.open(path),
  })
  return {
    state: () => ({
      username: remote().server.username,
      notifiesOfErrors: choices.get().notifiesOfErrors,
    }),
    runsFailed: notices.runsFailed,
    showServers,
    signIn: () => signIn(options, remote()),
  }
}

/** Returns a session token for the page: the one that was opened with the window, or a new one. */
async function signIn(options: Options, remote: Remote): Promise<string | null> {
  const { sessionToken, server } = remote
  remote.sessionToken = null
  if (sessionToken !== null) return sessionToken
  try {
    return await openSession(options, server)
  } catch (error) {
    options.onProblem(server.id, error)
    return null
  }
}
