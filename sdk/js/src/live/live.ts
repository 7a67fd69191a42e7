import { messageOf } from '../core/errors.ts'
import type { Timings } from '../core/options.ts'
import type { OpenSocket } from '../core/platform.ts'
import { backoffMs, jitter } from '../lib/backoff.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import { type Connection, createConnection, type End, tokenRejected } from './connection.ts'
import type { Frame } from './frames.ts'

/** Close code of the service. */
const disconnectedByAdmin = 4403

export type LiveDeps = {
  readonly url: string
  readonly timings: Timings
  readonly timers: Timers
  readonly token: () => string | null
  /** Returns the first frame, without token and position. */
  readonly helloFields: () => object
  readonly onConnect: (clientId: string, seq: number, isResumed: boolean) => void
  readonly onFrame: (frame: Frame) => void
  readonly onUnknownFrame: () => void
  /** Called with the reason of each failed socket. */
  readonly onFailure: (reason: unknown) => void
  /** `lastReceivedAt`: time of the last received message; null if the connection had no hello. */
  readonly onEnd: (end: End, lastReceivedAt: number | null) => void
}

export type Live = {
  /** Connects, and reconnects until `stop`. */
  start(open: OpenSocket): void
  /** Number of the open connection, counted from 1; null if there is none. */
  connectionNumber(): number | null
  /** The newest sequence number received. */
  seq(): number
  /** Does nothing without a connection. */
  send(frame: object): void
  /** The token was replaced. */
  tokenChanged(): void
  /** Resolves when the socket is closed. */
  stop(): Promise<void>
}

type State = LiveDeps & {
  open: OpenSocket | null
  connection: Connection | null
  isStopped: boolean
  /** True from the hello of the service to the end of the connection. */
  isOpen: boolean
  /** Number of connections so far. */
  connections: number
  failures: number
  cancelRetry: Cancel
  /** True if the token was rejected; only another token helps. */
  isTokenRejected: boolean
  usedToken: string | null
  /** All frames up to this sequence number were received. */
  position: number | null
  /** Sequence number of the hello; becomes the position when the replayed frames have arrived. */
  replayEnd: number | null
}

/** Keeps one live connection open, and stores the position from which to resume. */
export function createLive(deps: LiveDeps): Live {
  const state: State = {
    ...deps,
    open: null,
    connection: null,
    isStopped: false,
    isOpen: false,
    connections: 0,
    failures: 0,
    cancelRetry: () => undefined,
    isTokenRejected: false,
    usedToken: null,
    position: null,
    replayEnd: null,
  }
  return {
    start(open) {
      if (state.open !== null) return
      state.open = open
      connect(state)
    },
    connectionNumber: () => (state.isOpen ? state.connections : null),
    seq: () => Math.max(state.position ?? 0, state.replayEnd ?? 0),
    send(frame) {
      if (state.isOpen) state.connection?.send(frame)
    },
    tokenChanged() {
      if (!state.isTokenRejected) return
      state.isTokenRejected = false
      state.failures = 0
      connect(state)
    },
    async stop() {
      state.isStopped = true
      state.isOpen = false
      state.cancelRetry()
      await state.connection?.close()
    },
  }
}

function connect(state: State): void {
  const { open } = state
  if (state.isStopped || open === null || state.connection !== null) return
  state.usedToken = state.token()
  try {
    state.connection = openConnection(state, open)
  } catch (error) {
    // A page may not be allowed to open the socket.
    connectionEnded(state, { code: 1006, reason: messageOf(error), hadHello: false })
  }
}

const openConnection = (state: State, open: OpenSocket): Connection =>
  createConnection({
    url: state.url,
    open,
    token: state.usedToken,
    timers: state.timers,
    helloMs: state.timings.requestMs,
    hello: () => ({
      type: 'hello',
      ...(state.usedToken !== null && { token: state.usedToken }),
      ...state.helloFields(),
      ...(state.position !== null && { since_seq: state.position }),
    }),
    onFrame: (frame) => receive(state, frame),
    onUnknownFrame: state.onUnknownFrame,
    onFailure: state.onFailure,
    onEnd: (end) => connectionEnded(state, end),
  })

function receive(state: State, frame: Frame): void {
  if (frame.type === 'hello') {
    receiveHello(state, frame.clientId, frame.seq)
    return
  }
  if (frame.type === 'prompt') advanceTo(state, frame.prompt.seq)
  else if (frame.type === 'resync') {
    state.position = frame.seq
    state.replayEnd = null
  } else if (state.replayEnd !== null) advanceTo(state, state.replayEnd)
  state.onFrame(frame)
}

function receiveHello(state: State, clientId: string, seq: number): void {
  if (state.isOpen) return
  const isResumed = state.position !== null
  // Missed frames follow this hello. Until they have arrived, only the old position is safe to resume from.
  if (isResumed) state.replayEnd = seq
  else state.position = seq
  state.isOpen = true
  state.connections += 1
  state.failures = 0
  state.onConnect(clientId, seq, isResumed)
}

function advanceTo(state: State, seq: number): void {
  state.position = Math.max(state.position ?? seq, seq)
  if (state.replayEnd !== null && seq >= state.replayEnd) state.replayEnd = null
}

function connectionEnded(state: State, end: End): void {
  const { connection, timings } = state
  const lastReceivedAt = state.isOpen && connection !== null ? connection.lastReceivedAt : null
  state.connection = null
  state.isOpen = false
  state.replayEnd = null
  if (end.code === tokenRejected && state.usedToken === state.token()) state.isTokenRejected = true
  else reconnectAfter(state, end.code === disconnectedByAdmin ? timings.kickedMs : 0)
  state.onEnd(end, lastReceivedAt)
}

function reconnectAfter(state: State, atLeastMs: number): void {
  state.failures += 1
  const waitMs = atLeastMs + jitter(backoffMs(state.failures, state.timings))
  state.cancelRetry = state.timers.after(waitMs, () => connect(state))
}
