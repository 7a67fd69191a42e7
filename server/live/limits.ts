import { heartbeatSeconds, helloTimeoutMs } from '../../contract/live.ts'

/** Every bound of the live connection. Tests shorten the times. */
export type LiveLimits = {
  readonly heartbeatMs: number
  /** Unanswered pings after which a connection is dead. */
  readonly missesAllowed: number
  /** How long a socket without credentials may take for its hello. */
  readonly helloMs: number
  /** How long an authenticated socket's own hello is awaited before ours goes out without it. */
  readonly helloGraceMs: number
  /** A burst of runs, or of clients coming and going, becomes one frame per this time. */
  readonly coalesceMs: number
  /** How often it is looked whether somebody's access has ended by itself. */
  readonly expiryMs: number
  /** How long a close may take before the socket is cut. */
  readonly closeMs: number
  /** Of all callers, and of one session of a user. */
  readonly maxConnections: number
  readonly maxPerSession: number
  /** Sockets that have not yet said who they are; together, and from one address that is neither ours nor a proxy's. */
  readonly maxUnidentified: number
  readonly maxUnidentifiedPerAddress: number
  readonly maxBufferedBytes: number
  /** Frames a client may send in one go, and per second after that. */
  readonly burst: number
  readonly perSecond: number
  readonly goneMs: number
  readonly maxGone: number
}

export const defaultLimits: LiveLimits = {
  heartbeatMs: heartbeatSeconds * 1000,
  missesAllowed: 2,
  helloMs: helloTimeoutMs,
  // A hello that comes later is answered with a resync where it asks for older frames: a slow line is waited for.
  helloGraceMs: 250,
  coalesceMs: 250,
  expiryMs: 500,
  closeMs: 3000,
  maxConnections: 2000,
  maxPerSession: 50,
  maxUnidentified: 200,
  maxUnidentifiedPerAddress: 50,
  maxBufferedBytes: 1024 * 1024,
  burst: 2000,
  perSecond: 200,
  goneMs: 3_600_000,
  maxGone: 1000,
}

/** A bucket of `burst` tokens that fills with `perSecond`. */
export function createBucket({ burst, perSecond }: Pick<LiveLimits, 'burst' | 'perSecond'>) {
  let tokens = burst
  let at = performance.now()
  return {
    take(): boolean {
      const now = performance.now()
      tokens = Math.min(burst, tokens + ((now - at) / 1000) * perSecond)
      at = now
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}
