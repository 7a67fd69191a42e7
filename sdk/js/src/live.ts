import { spread, waitAfter } from './backoff.ts'
import { type Connection, createConnection, type End } from './connection.ts'
import { messageOf } from './errors.ts'
import type { Frame } from './frames.ts'
import type { Timings } from './options.ts'
import type { OpenSocket } from './platform.ts'
import type { Cancel, Timers } from './timers.ts'

/** The service's own close codes. */
const tokenRefused = 4401
const kicked = 4403

export type LiveDeps = {
  readonly url: string
  readonly timings: Timings
  readonly timers: Timers
  readonly token: () => string | null
  /** The first frame, without token and place. */
  readonly introduction: () => object
  readonly onConnect: (clientId: string, seq: number, isResumed: boolean) => void
  readonly onFrame: (frame: Frame) => void
  readonly onOddity: () => void
  /** `heardAt`: when the service was last heard; null when it had not said hello. */
  readonly onEnd: (end: End, heardAt: number | null) => void
}

export type Live = {
  /** Connects, and goes on trying until it is stopped. */
  start(open: OpenSocket): void
  /** Which connection stands now, counted from 1; null: none. */
  line(): number | null
  /** The newest number heard of. */
  seq(): number
  /** Goes nowhere when there is no connection. */
  send(frame: object): void
  /** There is another token. */
  tokenChanged(): void
  /** Answers when the socket is gone. */
  stop(): Promise<void>
}

/** Keeps one live connection open, and remembers up to where the service was heard. */
export function createLive(deps: LiveDeps): Live {
  const { url, timings, timers, token, introduction } = deps
  let open: OpenSocket | null = null
  let connection: Connection | null = null
  let isStopped = false
  let isUp = false
  let lines = 0
  let failures = 0
  let cancelRetry: Cancel = () => undefined
  /** The token was refused; only another one helps. */
  let isParked = false
  let usedToken: string | null = null
  /** Everything up to this number was heard. */
  let position: number | null = null
  /** What a hello named: reached once what was missed before has come, too. */
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
    // What was missed comes after this hello: until it is here, only the old place is safe to go on from.
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
      // A page may not be allowed to open it.
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
