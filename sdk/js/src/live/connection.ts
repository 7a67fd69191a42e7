import type { OpenSocket, Socket } from '../core/platform.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import { type Frame, readFrame } from './frames.ts'

/** RFC 6455: the connection ended without a close frame. */
const abnormalClosure = 1006
/** Close code of the service. */
export const tokenRejected = 4401
/** Time for the peer to answer a close frame, in milliseconds. */
const closeTimeoutMs = 1_000

export type End = { readonly code: number; readonly reason: string; readonly hadHello: boolean }

export type ConnectionDeps = {
  readonly url: string
  readonly open: OpenSocket
  readonly token: string | null
  readonly timers: Timers
  /** Time limit for opening plus the hello, in milliseconds. */
  readonly helloMs: number
  /** Builds the first frame, once the socket is open. */
  readonly hello: () => object
  readonly onFrame: (frame: Frame) => void
  readonly onUnknownFrame: () => void
  /** Called with the reason for which the socket failed, before `onEnd`; undefined where it is not known. */
  readonly onFailure: (reason: unknown) => void
  /** Called once, unless `close` was called. */
  readonly onEnd: (end: End) => void
}

export type Connection = {
  send(frame: object): void
  /** Time of the last received message, as `performance.now()`. */
  readonly lastReceivedAt: number
  /** Sends a close frame; resolves when the socket is closed. No further callbacks. */
  close(): Promise<void>
}

/**
 * Opens a connection. Sends the hello when the socket is open, and pings after the service's hello. Ends the connection
 * if no data is received for two heartbeat intervals.
 */
export function createConnection(deps: ConnectionDeps): Connection {
  const socket = deps.open(deps.url, deps.token)
  const state: State = {
    ...deps,
    socket,
    isOver: false,
    hadOpened: false,
    hadHello: false,
    lastReceivedAt: performance.now(),
    heartbeatMs: 0,
    cancelPing: () => undefined,
    cancelTimeout: () => undefined,
  }
  endAfter(state, deps.helloMs, `No hello received within ${deps.helloMs} ms`)
  socket.addEventListener('open', () => {
    if (state.isOver) return
    state.hadOpened = true
    send(state, deps.hello())
  })
  socket.addEventListener('message', ({ data }) => receive(state, data))
  socket.addEventListener('close', ({ code, reason }) => end(state, code, reason))
  // A close event follows; without a listener, Node's `ws` would throw the error.
  socket.addEventListener('error', ({ error }) => {
    // The message is that of `ws`; no other WebSocket reports the status.
    if (error instanceof Error && error.message === 'Unexpected server response: 401')
      end(state, tokenRejected, 'The token is unknown, expired or revoked')
    if (!state.isOver) deps.onFailure(error)
  })
  return {
    send: (frame) => send(state, frame),
    get lastReceivedAt() {
      return state.lastReceivedAt
    },
    close: () => close(state),
  }
}

type State = ConnectionDeps & {
  readonly socket: Socket
  isOver: boolean
  hadOpened: boolean
  hadHello: boolean
  lastReceivedAt: number
  heartbeatMs: number
  cancelPing: Cancel
  cancelTimeout: Cancel
}

function send({ isOver, hadOpened, socket }: State, frame: object): void {
  if (!isOver && hadOpened) socket.send(JSON.stringify(frame))
}

function receive(state: State, data: unknown): void {
  if (state.isOver) return
  const frame = readFrame(data)
  if (frame?.type === 'hello' && !state.hadHello) {
    state.hadHello = true
    state.heartbeatMs = frame.heartbeatMs
    state.cancelPing = state.timers.after(frame.heartbeatMs, () => ping(state))
  }
  state.lastReceivedAt = performance.now()
  if (state.hadHello) {
    const silenceMs = 2 * state.heartbeatMs
    endAfter(state, silenceMs, `No data received for ${silenceMs} ms`)
  }
  if (frame === null) state.onUnknownFrame()
  else state.onFrame(frame)
}

function ping(state: State): void {
  send(state, { type: 'ping' })
  state.cancelPing = state.timers.after(state.heartbeatMs, () => ping(state))
}

/** Ends the connection after a time, unless called again before. */
function endAfter(state: State, ms: number, reason: string): void {
  state.cancelTimeout()
  state.cancelTimeout = state.timers.after(ms, () => {
    if (state.isOver) return
    terminate(state)
    end(state, abnormalClosure, reason)
  })
}

function end(state: State, code: number, reason: string): void {
  if (state.isOver) return
  stopTimers(state)
  state.onEnd({ code, reason, hadHello: state.hadHello })
}

function stopTimers(state: State): void {
  state.isOver = true
  state.cancelPing()
  state.cancelTimeout()
}

function terminate({ socket }: State): void {
  if (socket.terminate !== undefined) socket.terminate()
  else socket.close()
}

function close(state: State): Promise<void> {
  const wasOver = state.isOver
  stopTimers(state)
  if (wasOver) return Promise.resolve()
  return new Promise((resolve) => {
    const onTimeout = (): void => {
      terminate(state)
      resolve()
    }
    const cancel = state.timers.after(closeTimeoutMs, onTimeout, { keepsAlive: true })
    state.socket.addEventListener('close', () => {
      cancel()
      resolve()
    })
    state.socket.close(1000)
  })
}
