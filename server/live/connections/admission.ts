import { closeCodes } from '../../../contract/live/frames.ts'
import type { Identity } from '../../auth/identity/identity.ts'
import { principalOf } from '../../lib/context.ts'
import { fail, type Problem } from '../../lib/fail.ts'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import type { LiveLimits } from './limits.ts'

export type AdmissionDeps = {
  readonly connections: Pick<Connections, 'all' | 'close'>
  readonly limits: Pick<LiveLimits, 'maxConnections' | 'maxPerSession'>
}

const refusal = (detail: string) => fail('rate_limited', { detail, retryAfter: 5 })

/**
 * Decides whether a caller may have one more live connection. Below the total limit there is no limit per
 * caller, so many apps can share one token; only a session of a user has its own. At the total limit the
 * shares are max-min fair: a caller with fewer connections displaces the newest one of the caller with the
 * most, until shares differ by at most one.
 */
export function createAdmission({ connections, limits }: AdmissionDeps) {
  const open = (): (Connection & { access: NonNullable<Connection['access']> })[] =>
    [...connections.all()].filter(isOpen)

  /** Returns the caller with the most connections, and these connections, oldest first. */
  const largestShare = (all: ReturnType<typeof open>): readonly [string, typeof all] => {
    const shares = new Map<string, typeof all>()
    for (const connection of all) {
      const principal = principalOf(connection.access.identity.actor)
      const share = shares.get(principal)
      if (share === undefined) shares.set(principal, [connection])
      else share.push(connection)
    }
    let largest: readonly [string, typeof all] = ['', []]
    for (const entry of shares) if (entry[1].length > largest[1].length) largest = entry
    return largest
  }

  /** Returns why one more connection is refused, or null. May close a connection of another caller. */
  return ({ actor }: Identity): Problem | null => {
    const all = open()
    if (actor.sessionId !== null) {
      const count = all.filter(({ access }) => access.identity.actor.sessionId === actor.sessionId).length
      if (count >= limits.maxPerSession)
        return refusal(
          `This session has ${count} live connections, the maximum for one session. Close one, or sign in again.`,
        )
    }
    if (all.length < limits.maxConnections) return null
    const [, share] = largestShare(all)
    const principal = principalOf(actor)
    const ownCount = all.filter(({ access }) => principalOf(access.identity.actor) === principal).length
    const newest = share.at(-1)
    if (newest === undefined || ownCount + 1 >= share.length)
      return refusal(
        `There are ${limits.maxConnections} live connections, the maximum of this service, and your share is used. Close one, or raise LIVE_CONNECTIONS.`,
      )
    connections.close(
      newest,
      closeCodes.displaced,
      'The service has reached its maximum number of connections, and another caller had fewer than you',
    )
    return null
  }
}

const isOpen = (
  connection: Connection,
): connection is Connection & { access: NonNullable<Connection['access']> } =>
  connection.access !== null && !connection.isClosing
