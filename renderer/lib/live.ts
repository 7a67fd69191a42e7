import type { QueryClient } from '@tanstack/react-query'
import { type ChangedEntity, closeCodes, everyNamespace, type ServerFrame } from '../../contract/live.ts'
import type { SessionStore } from './session.ts'
import { createStore, type Store } from './store.ts'

/** `closed`: an admin ended this connection; it stays closed until the person reconnects. */
export type LiveState = {
  readonly status: 'off' | 'connecting' | 'live' | 'lost' | 'closed'
  /** When the service was last heard, in epoch milliseconds. */
  readonly heardAt: number | null
  /** When the next attempt is due, in epoch milliseconds. */
  readonly retryAt: number | null
  /** Since when nothing can be heard, in epoch milliseconds; null while live. */
  readonly lostAt: number | null
  /** Under which id Clients lists this console; the last one while it is not connected. */
  readonly clientId: string | null
}

const off: LiveState = { status: 'off', heardAt: null, retryAt: null, lostAt: null, clientId: null }
export const liveState: Store<LiveState> = createStore<LiveState>(off)

const firstRetryMs = 500
const longestRetryMs = 20_000
/** A timer that fires this late means that the machine slept: the socket is stale even if it looks open. */
const sleptMs = 30_000
const watchMs = 5_000
/** The service coalesces bursts to a frame per 250 ms; the console asks again at most once a second per entity. */
const refetchMs = 1_000
/** Answers that take long are asked for less often: the pause is this many times what they took, up to a bound. */
const pauseFactor = 3
const longestPauseMs = 10_000
/** After so long an answer is no longer waited for. */
const longestAnswerMs = 5_000

/**
 * Query keys begin with the entity they show (`['user', 'list', …]`), so a change invalidates by that word. Nothing is
 * asked again before its answer is there: under a burst that would cancel every answer and show none.
 */
function createInvalidator(queries: QueryClient) {
  const nextAt = new Map<string, number>()
  /** Entities that are being asked for, or whose turn is set. */
  const waiting = new Set<string>()
  const again = new Set<string>()

  const invalidate = async (entity: string): Promise<void> => {
    again.delete(entity)
    const begun = Date.now()
    // A hidden tab only learns that its data is old; it fetches when it is looked at.
    const refetchType = document.visibilityState === 'visible' ? 'active' : 'none'
    // A role, a password, the name in the corner or who may create workspaces may have changed.
    if (entity === 'user' || entity === 'setting') void queries.invalidateQueries({ queryKey: ['me'] })
    const answers = queries.invalidateQueries({ queryKey: [entity], refetchType })
    await Promise.race([answers, new Promise((resolve) => setTimeout(resolve, longestAnswerMs))])
    const pause = Math.min(longestPauseMs, Math.max(refetchMs, pauseFactor * (Date.now() - begun)))
    nextAt.set(entity, Date.now() + pause)
    waiting.delete(entity)
    if (again.has(entity)) changed(entity)
  }
  const changed = (entity: string): void => {
    again.add(entity)
    if (waiting.has(entity)) return
    waiting.add(entity)
    const wait = (nextAt.get(entity) ?? 0) - Date.now()
    if (wait <= 0) void invalidate(entity)
    else setTimeout(() => void invalidate(entity), wait)
  }
  return {
    changed: (entity: ChangedEntity): void => {
      changed(entity)
      // What is served decides which clients are behind.
      if (entity === 'prompt') changed('client')
    },
    everything: (): void => void queries.invalidateQueries(),
  }
}

export type LiveConnection = { readonly stop: () => void; readonly retry: () => void }

/** Keeps one socket open while someone is signed in: it says what changed, queries fetch it. */
export function startLive(session: SessionStore, queries: QueryClient): LiveConnection {
  const invalidator = createInvalidator(queries)
  let socket: WebSocket | null = null
  let attempts = 0
  let lastSeq: number | undefined
  let retryTimer: ReturnType<typeof setTimeout> | undefined
  let socketToken: string | null = null

  const heard = (clientId = liveState.get().clientId): void =>
    liveState.set({ status: 'live', heardAt: Date.now(), retryAt: null, lostAt: null, clientId })

  const receive = (frame: ServerFrame): void => {
    heard(frame.type === 'hello' ? frame.client_id : undefined)
    if (frame.type === 'hello') {
      attempts = 0
      // Without a place to continue from, anything may have changed since the pages were fetched.
      if (lastSeq !== undefined && frame.seq < lastSeq) invalidator.everything()
      lastSeq ??= frame.seq
      return
    }
    if (frame.type === 'pong') return
    lastSeq = frame.seq
    if (frame.type === 'changed') invalidator.changed(frame.entity)
    else if (frame.type === 'resync') invalidator.everything()
    else invalidator.changed('prompt')
  }

  const drop = (): void => {
    clearTimeout(retryTimer)
    const old = socket
    socket = null
    old?.close(1000)
  }

  const retryLater = (): void => {
    const wait = Math.min(longestRetryMs, firstRetryMs * 2 ** attempts) * (0.5 + Math.random() / 2)
    attempts += 1
    const before = liveState.get()
    const now = Date.now()
    liveState.set({ ...before, status: 'lost', retryAt: now + wait, lostAt: before.lostAt ?? now })
    retryTimer = setTimeout(connect, wait)
  }

  const closed = (code: number, token: string): void => {
    socket = null
    // A token that was replaced meanwhile ends only what was opened with it.
    if (code === closeCodes.signedOut && token !== session.token()) retry()
    else if (code === closeCodes.signedOut) session.signOut('expired')
    else if (code === closeCodes.disconnected) {
      liveState.set({ ...liveState.get(), status: 'closed', retryAt: null })
    } else retryLater()
  }

  function connect(): void {
    drop()
    const token = session.token()
    socketToken = token
    if (token === null) {
      liveState.set(off)
      return
    }
    liveState.set({ ...liveState.get(), status: 'connecting', retryAt: null })
    const opened = new WebSocket(`${location.origin.replace(/^http/, 'ws')}/ws`)
    socket = opened
    opened.addEventListener('open', () => {
      const hello = { type: 'hello', token, client: 'browser', app: 'console', namespace: everyNamespace }
      opened.send(JSON.stringify(lastSeq === undefined ? hello : { ...hello, since_seq: lastSeq }))
    })
    opened.addEventListener('message', (event: MessageEvent<string>) => {
      if (socket === opened) receive(JSON.parse(event.data) as ServerFrame)
    })
    opened.addEventListener('close', (event) => {
      if (socket === opened) closed(event.code, token)
    })
  }

  function retry(): void {
    attempts = 0
    connect()
  }
  const unsubscribe = session.subscribe(() => {
    if (session.token() === socketToken) return
    if (session.get().replaced === socketToken) {
      socketToken = session.token()
      return
    }
    lastSeq = undefined
    retry()
  })
  let watchedAt = Date.now()
  const watch = setInterval(() => {
    const slept = Date.now() - watchedAt > watchMs + sleptMs
    watchedAt = Date.now()
    if (!slept || socketToken === null) return
    // What was on screen is as old as the nap; the connection may look open and be dead.
    invalidator.everything()
    if (liveState.get().status !== 'closed') retry()
  }, watchMs)
  window.addEventListener('online', retry)
  connect()

  return {
    retry,
    stop: () => {
      unsubscribe()
      clearInterval(watch)
      window.removeEventListener('online', retry)
      drop()
      liveState.set(off)
    },
  }
}
