import type { Logger } from 'pino'
import type { AccessRule } from '../../contract/common/endpoint.ts'
import { isSameAccess } from '../auth/identity/access.ts'
import {
  type Authenticator,
  type Identity,
  type LiveAccess,
  matchesFilter,
} from '../auth/identity/identity.ts'
import type { Clock } from '../lib/clock.ts'
import { fail, Problem } from '../lib/fail.ts'
import { type PermissionOverrides, requireAccess } from './access.ts'

/** Long replies in progress, and the access of their callers. */
export type OpenStreams = LiveAccess & {
  /**
   * Returns the number of changes of access. Read it before the caller is identified, and pass it to `watch`.
   */
  generation(): number
  /**
   * Calls `end` once when the caller may no longer receive the reply. Returns a function that stops watching.
   */
  watch(stream: Stream, end: (problem: Problem) => void): () => void
}

export type Stream = {
  readonly endpoint: AccessRule
  readonly identity: Identity
  readonly token: string
  readonly generation: number
}

type Watched = { stream: Stream; readonly end: (problem: Problem) => void; timer: NodeJS.Timeout | null }

export type OpenStreamsDeps = {
  readonly authenticator: Authenticator
  readonly overrides: PermissionOverrides
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
}

/** Maximum delay of `setTimeout`, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/** Ends long replies when the access of their caller ends. */
export function createOpenStreams({ authenticator, overrides, clock, logger }: OpenStreamsDeps): OpenStreams {
  const open = new Set<Watched>()
  let generation = 0

  const stop = (watched: Watched) => {
    open.delete(watched)
    if (watched.timer !== null) clearTimeout(watched.timer)
  }

  /** Checks again when the session or token expires. */
  const scheduleCheck = (watched: Watched, { expiresAt }: Identity) => {
    if (watched.timer !== null) clearTimeout(watched.timer)
    if (expiresAt === null) return
    const ms = Math.min(Math.max(0, expiresAt.getTime() - clock.now().getTime()), maxTimerMs)
    watched.timer = setTimeout(() => void check(watched), ms)
    watched.timer.unref()
  }

  async function requireSameAccess({ endpoint, identity, token }: Stream): Promise<Identity> {
    const current = await authenticator.identify(token, clock.now(), { isPassive: true })
    requireAccess(endpoint, current, overrides)
    const { role, memberships } = identity.actor
    if (current.actor.role !== role || !isSameAccess(current.actor.memberships, memberships))
      throw fail('auth.forbidden', {
        detail: 'Your role or your workspaces were changed. Send the request again.',
      })
    return current
  }

  async function check(watched: Watched): Promise<void> {
    const before = generation
    try {
      const identity = await requireSameAccess(watched.stream)
      if (!open.has(watched)) return
      // The stream may depend on other users and tokens now. Changes during the check were missed, so check again.
      watched.stream = { ...watched.stream, identity }
      if (generation !== before) return void check(watched)
      scheduleCheck(watched, identity)
    } catch (error) {
      if (!(error instanceof Problem)) {
        logger.error({ err: error }, 'the access of an open stream could not be checked')
        return
      }
      if (!open.has(watched)) return
      stop(watched)
      watched.end(error)
    }
  }

  return {
    generation: () => generation,
    watch(stream, end) {
      const watched: Watched = { stream, end, timer: null }
      open.add(watched)
      scheduleCheck(watched, stream.identity)
      if (stream.generation !== generation) void check(watched)
      return () => stop(watched)
    },
    recheck(filter) {
      generation += 1
      for (const watched of open) if (matchesFilter(watched.stream.identity, filter)) void check(watched)
    },
    move(fromSessionId, token) {
      generation += 1
      for (const watched of open)
        if (watched.stream.identity.actor.sessionId === fromSessionId)
          watched.stream = { ...watched.stream, token }
    },
  }
}
