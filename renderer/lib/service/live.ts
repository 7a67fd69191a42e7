import type { QueryClient } from '@tanstack/react-query'
import {
  type ChangedEntity,
  closeCodes,
  everyNamespace,
  liveProtocol,
  type ServerFrame,
  tokenProtocolPrefix,
} from '../../../contract/live/frames.ts'
import type { SessionStore } from '../session/session.ts'
import { createStore, type Store } from '../state/store.ts'
import { serviceUrl } from './base-path.ts'
import { type ConnectionWatch, watchConnection } from './live/connectionWatch.ts'

/**
 * State of the live connection. `closed`: an admin ended it, and it stays closed until the user reconnects.
 */
export type LiveState = {
  readonly status: 'off' | 'connecting' | 'live' | 'lost' | 'closed'
  /** Time of the last frame from the service, in epoch milliseconds. */
  readonly lastFrameAt: number | null
  /** Time of the next attempt, in epoch milliseconds. */
  readonly retryAt: number | null
  /** Time at which the connection was lost, in epoch milliseconds; null if it is not lost. */
  readonly lostAt: number | null
  /** Id of this console in Clients; the last one while it is not connected. */
  readonly clientId: string | null
}

const off: LiveState = { status: 'off', lastFrameAt: null, retryAt: null, lostAt: null, clientId: null }
export const liveState: Store<LiveState> = createStore<LiveState>(off)

const firstRetryMs = 500
const longestRetryMs = 20_000
/** The service sends at most one frame per 250 ms. The console refetches at most once a second per entity. */
const refetchMs = 1_000
/**
 * Pause after a refetch as a multiple of its duration, up to `longestPauseMs`, so that slow queries run less
 * often.
 */
const refetchPauseFactor = 3
const longestPauseMs = 10_000
/** Time after which a refetch is no longer awaited, in milliseconds. */
const refetchTimeoutMs = 5_000

/**
 * Creates the invalidator of queries. Query keys begin with the entity they show (`['user', 'list', …]`), so
 * a change invalidates by entity. An entity is not refetched while its last refetch runs: in a burst each
 * refetch would cancel the one before, and none would end.
 */
function createInvalidator(queries: QueryClient) {
  const nextAt = new Map<string, number>()
  /** Entities that are being refetched or have a refetch scheduled. */
  const pending = new Set<string>()
  /** Entities that changed since their last refetch began. */
  const changedAgain = new Set<string>()

  const invalidate = async (entity: string): Promise<void> => {
    changedAgain.delete(entity)
    const startedAt = Date.now()
    // A hidden tab only marks its data as outdated, and refetches when it becomes visible. It refetches alerts
    // immediately, because it shows them as desktop notifications.
    const isNeeded = document.visibilityState === 'visible' || entity === 'alert'
    const refetchType = isNeeded ? 'active' : 'none'
    // These may change the user's role, password or name, or who may create workspaces.
    if (entity === 'user' || entity === 'setting') void queries.invalidateQueries({ queryKey: ['me'] })
    const refetch = queries.invalidateQueries({ queryKey: [entity], refetchType })
    await Promise.race([refetch, new Promise((resolve) => setTimeout(resolve, refetchTimeoutMs))])
    const pause = Math.min(longestPauseMs, Math.max(refetchMs, refetchPauseFactor * (Date.now() - startedAt)))
    nextAt.set(entity, Date.now() + pause)
    pending.delete(entity)
    if (changedAgain.has(entity)) changed(entity)
  }
  const changed = (entity: string): void => {
    changedAgain.add(entity)
    if (pending.has(entity)) return
    pending.add(entity)
    const wait = (nextAt.get(entity) ?? 0) - Date.now()
    if (wait <= 0) void invalidate(entity)
    else setTimeout(() => void invalidate(entity), wait)
  }
  return {
    changed: (entity: ChangedEntity): void => {
      changed(entity)
      // The served version decides which clients are outdated.
      if (entity === 'prompt') changed('client')
    },
    everything: (): void => void queries.invalidateQueries(),
  }
}

export type LiveConnection = { readonly stop: () => void; readonly retry: () => void }

/** The state of one `startLive`. */
type Connection = {
  readonly session: SessionStore
  readonly invalidator: ReturnType<typeof createInvalidator>
  socket: WebSocket | null
  /** Failed attempts in a row. */
  attempts: number
  lastSeq: number | undefined
  retryTimer: ReturnType<typeof setTimeout> | undefined
  socketToken: string | null
  readonly watch: ConnectionWatch
}

const markLive = (clientId = liveState.get().clientId): void =>
  liveState.set({ status: 'live', lastFrameAt: Date.now(), retryAt: null, lostAt: null, clientId })

function receive(connection: Connection, frame: ServerFrame): void {
  const { invalidator } = connection
  connection.watch.received()
  markLive(frame.type === 'hello' ? frame.client_id : undefined)
  if (frame.type === 'hello') {
    connection.attempts = 0
    // The service's numbering started again, so it cannot resume from `lastSeq` and anything may have
    // changed.
    if (connection.lastSeq !== undefined && frame.seq < connection.lastSeq) {
      invalidator.everything()
      connection.lastSeq = frame.seq
    }
    connection.lastSeq ??= frame.seq
    return
  }
  if (frame.type === 'pong') return
  connection.lastSeq = frame.seq
  if (frame.type === 'changed') invalidator.changed(frame.entity)
  else if (frame.type === 'resync') invalidator.everything()
  else invalidator.changed('prompt')
}

function closeSocket(connection: Connection): void {
  clearTimeout(connection.retryTimer)
  const old = connection.socket
  connection.socket = null
  connection.watch.closed()
  old?.close(1000)
}

function retryLater(connection: Connection): void {
  const longestWait = Math.min(longestRetryMs, firstRetryMs * 2 ** connection.attempts)
  const wait = longestWait * (0.5 + Math.random() / 2)
  connection.attempts += 1
  const before = liveState.get()
  const now = Date.now()
  liveState.set({ ...before, status: 'lost', retryAt: now + wait, lostAt: before.lostAt ?? now })
  connection.retryTimer = setTimeout(() => connect(connection), wait)
}

function onClose(connection: Connection, code: number, token: string): void {
  const { session } = connection
  connection.socket = null
  connection.watch.closed()
  // Replacing a token closes only the connections that were opened with it.
  if (code === closeCodes.signedOut && token !== session.token()) retry(connection)
  else if (code === closeCodes.signedOut) session.signOut('expired')
  else if (code === closeCodes.disconnected) {
    liveState.set({ ...liveState.get(), status: 'closed', retryAt: null })
  } else retryLater(connection)
}

function connect(connection: Connection): void {
  closeSocket(connection)
  const token = connection.session.token()
  connection.socketToken = token
  if (token === null) {
    liveState.set(off)
    return
  }
  liveState.set({ ...liveState.get(), status: 'connecting', retryAt: null })
  const protocols = [liveProtocol, `${tokenProtocolPrefix}${token}`]
  const socket = new WebSocket(`${serviceUrl.replace(/^http/, 'ws')}/ws`, protocols)
  connection.socket = socket
  connection.watch.began()
  socket.addEventListener('open', () => {
    const hello = { type: 'hello', token, client: 'browser', app: 'console', namespace: everyNamespace }
    const { lastSeq } = connection
    socket.send(JSON.stringify(lastSeq === undefined ? hello : { ...hello, since_seq: lastSeq }))
  })
  socket.addEventListener('message', (event: MessageEvent<string>) => {
    if (connection.socket === socket) receive(connection, JSON.parse(event.data) as ServerFrame)
  })
  socket.addEventListener('close', (event) => {
    if (connection.socket === socket) onClose(connection, event.code, token)
  })
}

function retry(connection: Connection): void {
  connection.attempts = 0
  connect(connection)
}

/** Connects again with the session's new token, unless the service replaced the one in use. */
function followSession(connection: Connection): void {
  const { session, socketToken } = connection
  if (session.token() === socketToken) return
  if (session.get().replaced === socketToken) {
    connection.socketToken = session.token()
    return
  }
  connection.lastSeq = undefined
  retry(connection)
}

/** Keeps one WebSocket open while a user is signed in. Frames announce changes; queries fetch the data. */
export function startLive(session: SessionStore, queries: QueryClient): LiveConnection {
  const connection: Connection = {
    session,
    invalidator: createInvalidator(queries),
    socket: null,
    attempts: 0,
    lastSeq: undefined,
    retryTimer: undefined,
    socketToken: null,
    watch: watchConnection({
      // The displayed data may be outdated, and the connection may be lost although it looks open.
      onSleep: () => {
        if (connection.socketToken === null) return
        connection.invalidator.everything()
        if (liveState.get().status !== 'closed') retry(connection)
      },
      ping: () => connection.socket?.send(JSON.stringify({ type: 'ping' })),
      onDead: () => {
        closeSocket(connection)
        retryLater(connection)
      },
    }),
  }
  const retryNow = (): void => retry(connection)
  const unsubscribe = session.subscribe(() => followSession(connection))
  const onOnline = (): void => {
    if (liveState.get().status !== 'closed') retryNow()
  }
  window.addEventListener('online', onOnline)
  connect(connection)
  return {
    retry: retryNow,
    stop: () => {
      unsubscribe()
      connection.watch.stop()
      window.removeEventListener('online', onOnline)
      closeSocket(connection)
      liveState.set(off)
    },
  }
}
