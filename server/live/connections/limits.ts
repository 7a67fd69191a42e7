import { heartbeatSeconds, helloTimeoutMs } from '../../../contract/live/frames.ts'
import { hourMs } from '../../lib/durations.ts'

/** Limits of live connections, in milliseconds and bytes. Tests shorten the times. */
export type LiveLimits = {
  readonly heartbeatMs: number
  /** Number of unanswered pings after which a connection is closed. */
  readonly maxUnansweredPings: number
  /** Maximum time until the hello of an unauthenticated socket. */
  readonly helloMs: number
  /** Time to wait for the hello of an authenticated client before the service sends its own. */
  readonly helloGraceMs: number
  /** Interval in which changes of runs, or of connected clients, become one frame. */
  readonly coalesceMs: number
  /** Interval of checks for expired access. */
  readonly expiryMs: number
  /** Maximum time for the closing handshake before the socket is destroyed. */
  readonly closeMs: number
  /** Maximum number of connections in total, and per session of a user. */
  readonly maxConnections: number
  readonly maxPerSession: number
  /**
   * Maximum number of unidentified sockets in total, and per remote address other than loopback and trusted
   * proxies.
   */
  readonly maxUnidentified: number
  readonly maxUnidentifiedPerAddress: number
  readonly maxBufferedBytes: number
  /** Maximum number of frames a client may send in a burst, and per second after that. */
  readonly burst: number
  readonly perSecond: number
  readonly disconnectedTtlMs: number
  readonly maxDisconnected: number
}

export const defaultLimits: LiveLimits = {
  heartbeatMs: heartbeatSeconds * 1000,
  maxUnansweredPings: 2,
  helloMs: helloTimeoutMs,
  // Long enough for slow networks: a later hello that asks for older frames gets a resync.
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
  disconnectedTtlMs: hourMs,
  maxDisconnected: 1000,
}

export function createTokenBucket({ burst, perSecond }: Pick<LiveLimits, 'burst' | 'perSecond'>) {
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
