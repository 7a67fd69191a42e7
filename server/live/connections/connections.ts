import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import type { NewId } from '../../lib/ids.ts'
import type { Entry } from './client-entry.ts'
import { type Connection, closeReason } from './connection.ts'
import type { HelloFields } from './identification.ts'
import { createTokenBucket, type LiveLimits } from './limits.ts'
import type { Registry } from './registry.ts'

/** All open sockets, identified or not. */
export type Connections = {
  open(from: {
    socket: WebSocket
    remoteAddr: string
    userAgent: string
    helloFields: HelloFields
    isTokenInUrl: boolean
  }): Connection
  /**
   * Closes a connection with a code. It counts as closed immediately; its socket gets a short time for the
   * closing handshake.
   */
  close(connection: Connection, code: number, reason: string): void
  all(): IterableIterator<Connection>
  find(id: string): Connection | undefined
  count(): number
  countUnidentified(address?: string): number
  /** Resolves when no socket is open. */
  drained(): Promise<void>
}

export type ConnectionsDeps = {
  readonly registry: Registry
  readonly newId: NewId
  readonly limits: LiveLimits
  readonly logger: Pick<Logger, 'debug'>
  readonly onDisconnect: (entry: Entry) => void
}

export function createConnections({
  registry,
  newId,
  limits,
  logger,
  onDisconnect,
}: ConnectionsDeps): Connections {
  const open = new Map<string, Connection>()
  let onEmpty: (() => void) | null = null

  const unregister = (connection: Connection) => {
    if (connection.timer !== null) clearTimeout(connection.timer)
    connection.timer = null
    const entry = registry.disconnect(connection.id)
    if (entry !== undefined) onDisconnect(entry)
  }

  return {
    open({ socket, remoteAddr, userAgent, helloFields, isTokenInUrl }) {
      const connection: Connection = {
        id: newId(),
        socket,
        remoteAddr,
        userAgent,
        helloFields,
        isOlderSdk: isTokenInUrl,
        access: null,
        session: null,
        isHelloSent: false,
        isClosing: false,
        unansweredPings: 0,
        timer: null,
        frameQueue: Promise.resolve(),
        tokenBucket: createTokenBucket(limits),
      }
      open.set(connection.id, connection)
      socket.on('close', (code) => {
        logger.debug({ client: connection.id, code }, 'live connection closed')
        connection.isClosing = true
        open.delete(connection.id)
        unregister(connection)
        if (open.size === 0) onEmpty?.()
      })
      // After such an error (a frame too large or malformed, a reset), ws closes the socket itself.
      socket.on('error', (err) => logger.debug({ client: connection.id, err }, 'live connection failed'))
      return connection
    },
    close(connection, code, reason) {
      if (connection.isClosing) return
      connection.isClosing = true
      unregister(connection)
      connection.socket.close(code, closeReason(reason))
      // A client that does not read would otherwise keep its socket and buffer forever.
      connection.timer = setTimeout(() => connection.socket.terminate(), limits.closeMs)
      connection.timer.unref()
    },
    all: () => open.values(),
    find: (id) => open.get(id),
    count: () => open.size,
    countUnidentified(address) {
      let count = 0
      for (const { access, remoteAddr } of open.values()) {
        if (access === null && (address === undefined || address === remoteAddr)) count += 1
      }
      return count
    },
    drained: () =>
      new Promise((resolve) => {
        if (open.size === 0) resolve()
        else onEmpty = resolve
      }),
  }
}
