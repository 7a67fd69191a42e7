import type { Actor } from '../lib/context.ts'

/** Whom a bearer token stands for, read from the store on every request. */
export type Identity = {
  readonly actor: Actor
  readonly auth: 'session' | 'service_token' | 'api_token'
  /** The user is asked to choose a new password. */
  readonly mustChangePassword: boolean
  /** …and may do nothing else before. The default admin on loopback is asked, not blocked. */
  readonly isBlocked: boolean
  readonly expiresAt: Date | null
  /** Ids of the accounts an API token follows: when one of them changes, so may the token. */
  readonly follows?: readonly string[]
}

export type Authenticator = {
  /** Throws `auth.required` without a token, `auth.invalid_token` for any that does not hold. */
  identify(
    token: string | null,
    now: Date,
    options?: {
      /** A look that is nobody's activity: it keeps no session from going idle. */
      readonly isPassive?: boolean
    },
  ): Promise<Identity>
}

/** Those whose access changed: everybody who fits all that is given. */
export type Whose = {
  readonly userId?: string
  readonly sessionId?: string
  readonly tokenKind?: 'service_token'
  /** Of an API token. */
  readonly tokenId?: string
}

/** Returns true when a change of access may concern this identity, or an account that it follows. */
export function isMeant({ actor, auth, follows = [] }: Identity, whose: Whose): boolean {
  const isOrFollows = (id: string) => actor.id === id || follows.includes(id)
  return (
    (whose.userId === undefined || isOrFollows(whose.userId)) &&
    (whose.sessionId === undefined || actor.sessionId === whose.sessionId) &&
    (whose.tokenKind === undefined || auth === whose.tokenKind) &&
    (whose.tokenId === undefined || (auth === 'api_token' && isOrFollows(whose.tokenId)))
  )
}

/**
 * Closes or re-checks live connections and event streams after access changed. A command, not an event: a rule depends
 * on it.
 */
export type LiveAccess = {
  recheck(whose: Whose): void
  /** Moves live connections and event streams from one session to the token of another. */
  move(fromSessionId: string, token: string): void
}
