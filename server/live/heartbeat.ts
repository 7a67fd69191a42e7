import type { Clock } from '../lib/clock.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { LiveLimits } from './limits.ts'

/**
 * Pings every client, and cuts those that left two pings unanswered: a dead peer closes nothing by itself. SDKs of
 * PromptOps do not answer pings: of them it is enough that the connection takes the ping.
 */
export function startHeartbeat(
  connections: Pick<Connections, 'all'>,
  { heartbeatMs, missesAllowed }: Pick<LiveLimits, 'heartbeatMs' | 'missesAllowed'>,
): { close(): void } {
  const timer = setInterval(() => {
    for (const connection of connections.all()) {
      if (connection.misses >= missesAllowed) {
        connection.socket.terminate()
        continue
      }
      connection.misses += 1
      if (connection.socket.readyState !== connection.socket.OPEN) continue
      connection.socket.ping(undefined, undefined, (error?: Error) => {
        if (connection.isOlderSdk && !error) connection.misses = 0
      })
    }
  }, heartbeatMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}

/** A sign of life of whatever kind. */
export function markAlive(connection: Connection, clock: Clock): void {
  connection.misses = 0
  if (connection.session !== null) connection.session.entry.lastSeenAt = clock.now()
}
