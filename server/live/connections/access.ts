import type { Logger } from 'pino'
import { closeCodes } from '../../../contract/live/frames.ts'
import { isSameAccess } from '../../auth/identity/access.ts'
import {
  type Authenticator,
  blockedReason,
  type IdentityFilter,
  type LiveAccess,
  matchesFilter,
} from '../../auth/identity/identity.ts'
import type { Clock } from '../../lib/clock.ts'
import { Problem } from '../../lib/fail.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'

/** Checks whether connected clients still have access. */
export type AccessCheck = LiveAccess & {
  /**
   * Returns the number of changes of access. A caller that was identified during a change is checked again.
   */
  generation(): number
  check(connection: Connection): Promise<void>
  close(): void
}

export type AccessCheckDeps = {
  readonly authenticator: Authenticator
  readonly connections: Pick<Connections, 'all' | 'close'>
  readonly clock: Clock
  readonly expiryMs: number
  /** Called if the workspaces of a connection's caller, or the roles in them, changed. */
  readonly onAccessChanged: (connection: Connection) => void
  readonly logger: Pick<Logger, 'error'>
}

/** Returns true if a change may concern a connection. During a check, the users and tokens it depends on are not known. */
const mayConcern = ({ access }: Connection, filter: IdentityFilter): boolean =>
  access !== null && (access.checks > 0 || matchesFilter(access.identity, filter))

/**
 * Closes connections with 4401 when their access has ended. A lower role does not close them, because viewers
 * may connect too.
 */
export function createAccessCheck(deps: AccessCheckDeps): AccessCheck {
  const { authenticator, connections, clock, expiryMs, onAccessChanged, logger } = deps
  let generation = 0

  /** Checks the access; no frame is sent meanwhile. */
  const check = async (connection: Connection) => {
    const { access } = connection
    if (access === null || connection.isClosing) return
    const before = access.identity.actor
    const release = connection.session?.sendQueue.hold()
    access.checks += 1
    await readAccess(connection, access)
    access.checks -= 1
    if (connection.isClosing) return
    if (!isSameAccess(access.identity.actor.memberships, before.memberships)) onAccessChanged(connection)
    if (access.hasMissed && access.checks === 0) {
      access.hasMissed = false
      connection.session?.sendQueue.resync()
    }
    await release?.()
  }

  const readAccess = async (connection: Connection, access: NonNullable<Connection['access']>) => {
    try {
      // Passive, because an open socket is no user activity and must not extend an idle session.
      const identity = await authenticator.identify(access.token, clock.now(), { isPassive: true })
      if (identity.isBlocked) {
        connections.close(connection, closeCodes.signedOut, blockedReason(identity))
        return
      }
      access.identity = identity
      if (connection.session !== null) connection.session.entry.username = identity.actor.name
    } catch (error) {
      if (error instanceof Problem && (error.status === 401 || error.status === 403)) {
        connections.close(
          connection,
          closeCodes.signedOut,
          'The session or token of this connection has ended',
        )
        return
      }
      logger.error(
        { err: error, client: connection.id },
        'the access of a live connection could not be checked',
      )
    }
  }

  const timer = setInterval(() => {
    const now = clock.now().getTime()
    for (const connection of connections.all()) {
      const expiresAt = connection.access?.identity.expiresAt ?? null
      if (expiresAt !== null && expiresAt.getTime() <= now) void check(connection)
    }
  }, expiryMs)
  timer.unref()

  return {
    generation: () => generation,
    check,
    recheck(filter) {
      generation += 1
      for (const connection of connections.all()) if (mayConcern(connection, filter)) void check(connection)
    },
    move(fromSessionId, token) {
      generation += 1
      for (const { access } of connections.all())
        if (access?.identity.actor.sessionId === fromSessionId) access.token = token
    },
    close: () => clearInterval(timer),
  }
}
