import { heartbeatSeconds } from '../../../../contract/live/frames.ts'

/** Interval of the checks, in milliseconds. Browsers run timers of hidden tabs once a minute. */
const intervalMs = 5_000
/** A check that is late by this much means that the machine slept. More than a minute, because of hidden tabs. */
const sleepThresholdMs = 90_000
/** Time without a frame after which a ping is sent, in milliseconds. */
const silenceMs = heartbeatSeconds * 1000
/** Time limits for the reply to a ping and for the first frame of a new connection, in milliseconds. */
const pongTimeoutMs = 10_000
const helloTimeoutMs = 20_000

type Handlers = {
  /** Called after the machine slept. */
  readonly onSleep: () => void
  readonly ping: () => void
  /** Called once if the service does not reply: the network was lost without an event. */
  readonly onDead: () => void
}

export type ConnectionWatch = {
  /** Reports that a connection is being opened. */
  readonly began: () => void
  /** Reports a frame of the service. */
  readonly received: () => void
  /** Reports that there is no connection. */
  readonly closed: () => void
  readonly stop: () => void
}

/** Detects that a connection is dead although it looks open, and that the machine slept. */
export function watchConnection({ onSleep, ping, onDead }: Handlers): ConnectionWatch {
  let checkedAt = Date.now()
  /** Time of the last frame; null without a connection, or before its first frame. */
  let receivedAt: number | null = null
  /** Time at which the reply that is awaited is late; null if none is awaited. */
  let lateAt: number | null = null

  const check = (): void => {
    const now = Date.now()
    const hasSlept = now - checkedAt > intervalMs + sleepThresholdMs
    checkedAt = now
    if (hasSlept) {
      onSleep()
    } else if (lateAt !== null) {
      if (now >= lateAt) onDead()
    } else if (receivedAt !== null && now - receivedAt >= silenceMs) {
      lateAt = now + pongTimeoutMs
      ping()
    }
  }
  const timer = setInterval(check, intervalMs)
  const set = (received: number | null, late: number | null): void => {
    receivedAt = received
    lateAt = late
  }
  return {
    began: () => set(null, Date.now() + helloTimeoutMs),
    received: () => set(Date.now(), null),
    closed: () => set(null, null),
    stop: () => clearInterval(timer),
  }
}
