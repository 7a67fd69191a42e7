import type { Logger } from 'pino'
import type { WebSocket } from 'ws'
import type { NewId } from '../lib/ids.ts'
import { type Connection, closeReason } from './connection.ts'
import type { Introduction } from './identification.ts'
import { createBucket, type LiveLimits } from './limits.ts'
import type { Registry } from './registry.ts'

export type Connections = {
  open(from: {
    socket: WebSocket
    remoteAddr: string
    userAgent: string
    introduction: Introduction
    isTokenInUrl: boolean
  }): Connection
  /** Ends a connection with a code; at once for everybody but its own socket, which gets a moment for the handshake. */
  close(connection: Connection, code: number, reason: string): void
  all(): IterableIterator<Connection>
  find(id: string): Connection | undefined
  count(): number
  countUnidentified(address?: string): number
  /** Resolves when no socket is left. */
  drained(): Promise<void>
}

export type ConnectionsDeps = {
  readonly registry: Registry
  readonly newId: NewId
  readonly limits: LiveLimits
  readonly logger: Pick<Logger, 'debug'>
  readonly onLeave: () => void
}

export function createConnections({
  registry,
  newId,
  limits,
  logger,
  onLeave,
}: ConnectionsDeps): Connections {
  const open = new Map<string, Connection>()
  let whenEmpty: (() => void) | null = null

  const leave = (connection: Connection) => {
    if (connection.timer !== null) clearTimeout(connection.timer)
    connection.timer = null
    if (registry.has(connection.id)) {
      registry.leave(connection.id)
      onLeave()
    }
  }

  return {
    open({ socket, remoteAddr, userAgent, introduction, isTokenInUrl }) {
      const connection: Connection = {
        id: newId(),
        socket,
        remoteAddr,
        userAgent,
        introduction,
        isOlderSdk: isTokenInUrl,
        access: null,
        session: null,
        isGreeted: false,
        isClosing: false,
        misses: 0,
        timer: null,
        turn: Promise.resolve(),
        bucket: createBucket(limits),
      }
      open.set(connection.id, connection)
      socket.on('close', (code) => {
        logger.debug({ client: connection.id, code }, 'live connection closed')
        connection.isClosing = true
        open.delete(connection.id)
        leave(connection)
        if (open.size === 0) whenEmpty?.()
      })
      // What ws reports here (a frame too large, a broken one, a reset) it also closes the socket for.
      socket.on('error', (err) => logger.debug({ client: connection.id, err }, 'live connection failed'))
      return connection
    },
    close(connection, code, reason) {
      if (connection.isClosing) return
      connection.isClosing = true
      leave(connection)
      connection.socket.close(code, closeReason(reason))
      // A peer that does not read would keep its socket, and what is buffered for it, for good.
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
        else whenEmpty = resolve
      }),
  }
}
