import { spread, waitAfter } from './backoff.ts'
import { type Connection, createConnection, type End } from './connection.ts'
import { messageOf } from './errors.ts'
import type { Frame } from './frames.ts'
import type { Timings } from './options.ts'
import type { OpenSocket } from './platform.ts'
import type { Cancel, Timers } from './timers.ts'

/** Close codes of the service. */
const tokenRefused = 4401
const kicked = 4403

export type LiveDeps = {
  readonly url: string
  readonly timings: Timings
  readonly timers: Timers
  readonly token: () => string | null
  /** Returns the first frame, without token and position. */
  readonly introduction: () => object
  readonly onConnect: (clientId: string, seq: number, isResumed: boolean) => void
  readonly onFrame: (frame: Frame) => void
  readonly onOddity: () => void
  /** `heardAt`: time of the last received message; null if the connection had no hello. */
  readonly onEnd: (end: End, heardAt: number | null) => void
}

export type Live = {
  /** Connects, and reconnects until `stop`. */
  start(open: OpenSocket): void
  /** Number of the open connection, counted from 1; null if there is none. */
  line(): number | null
  /** The newest sequence number received. */
  seq(): number
  /** Does nothing without a connection. */
  send(frame: object): void
  /** The token was replaced. */
  tokenChanged(): void
  /** Resolves when the socket is gone. */
  stop(): Promise<void>
}

/** Keeps one live connection open, and stores the position from which to resume. */
export function createLive(deps: LiveDeps): Live {
  const { url, timings, timers, token, introduction } = deps
  let open: OpenSocket | null = null
  let connection: Connection | null = null
  let isStopped = false
  let isUp = false
  let lines = 0
  let failures = 0
  let cancelRetry: Cancel = () => undefined
  /** True if the token was refused; only another token helps. */
  let isParked = false
  let usedToken: string | null = null
  /** All frames up to this sequence number were received. */
  let position: number | null = null
  /** Sequence number of the hello; becomes the position when the replayed frames have arrived. */
  let ahead: number | null = null

  const heardUpTo = (seq: number): void => {
    position = Math.max(position ?? seq, seq)
    if (ahead !== null && seq >= ahead) ahead = null
  }

  const receive = (frame: Frame): void => {
    if (frame.type === 'hello') {
      greeted(frame.clientId, frame.seq)
      return
    }
    if (frame.type === 'prompt') heardUpTo(frame.prompt.seq)
    else if (frame.type === 'resync') {
      position = frame.seq
      ahead = null
    } else if (ahead !== null) heardUpTo(ahead)
    deps.onFrame(frame)
  }

  const greeted = (clientId: string, seq: number): void => {
    if (isUp) return
    const isResumed = position !== null
    // Missed frames follow this hello. Until they have arrived, only the old position is safe to resume from.
    if (isResumed) ahead = seq
    else position = seq
    isUp = true
    lines += 1
    failures = 0
    deps.onConnect(clientId, seq, isResumed)
  }

  const ended = (end: End): void => {
    const heardAt = isUp && connection !== null ? connection.heardAt : null
    connection = null
    isUp = false
    ahead = null
    if (end.code === tokenRefused && usedToken === token()) isParked = true
    else retryAfter(end.code === kicked ? timings.kickedMs : 0)
    deps.onEnd(end, heardAt)
  }

  const retryAfter = (atLeastMs: number): void => {
    failures += 1
    cancelRetry = timers.after(atLeastMs + spread(waitAfter(failures, timings)), connect)
  }

  function connect(): void {
    if (isStopped || open === null || connection !== null) return
    usedToken = token()
    try {
      connection = connectWith(open)
    } catch (error) {
      // A page may not be allowed to open the socket.
      ended({ code: 1006, reason: messageOf(error), hadHello: false })
    }
  }

  const connectWith = (opener: OpenSocket): Connection =>
    createConnection({
      url,
      open: opener,
      timers,
      helloMs: timings.requestMs,
      hello: () => ({
        type: 'hello',
        ...(usedToken !== null && { token: usedToken }),
        ...introduction(),
        ...(position !== null && { since_seq: position }),
      }),
      onFrame: receive,
      onOddity: deps.onOddity,
      onEnd: ended,
    })

  return {
    start(given) {
      if (open !== null) return
      open = given
      connect()
    },
    line: () => (isUp ? lines : null),
    seq: () => Math.max(position ?? 0, ahead ?? 0),
    send(frame) {
      if (isUp) connection?.send(frame)
    },
    tokenChanged() {
      if (!isParked) return
      isParked = false
      failures = 0
      connect()
    },
    async stop() {
      isStopped = true
      isUp = false
      cancelRetry()
      await connection?.close()
    },
  }
}
