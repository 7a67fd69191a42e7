import type { Clock } from '../../lib/clock.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { LiveLimits } from './limits.ts'

/**
 * Pings every client, and closes connections that left two pings unanswered, because a dead client cannot
 * close its own connection. SDKs of PromptOps do not answer pings: for them a ping that could be sent counts
 * as answered.
 */
export function startHeartbeat(
  connections: Pick<Connections, 'all'>,
  { heartbeatMs, maxUnansweredPings }: Pick<LiveLimits, 'heartbeatMs' | 'maxUnansweredPings'>,
): { close(): void } {
  const timer = setInterval(() => {
    for (const connection of connections.all()) {
      if (connection.unansweredPings >= maxUnansweredPings) {
        connection.socket.terminate()
        continue
      }
      connection.unansweredPings += 1
      if (connection.socket.readyState !== connection.socket.OPEN) continue
      connection.socket.ping(undefined, undefined, (error?: Error) => {
        if (connection.isOlderSdk && !error) connection.unansweredPings = 0
      })
    }
  }, heartbeatMs)
  timer.unref()
  return { close: () => clearInterval(timer) }
}

/** Call it when anything arrives from the client. */
export function markAlive(connection: Connection, clock: Clock): void {
  connection.unansweredPings = 0
  if (connection.session !== null) connection.session.entry.lastSeenAt = clock.now()
}
