import type { Actor } from '../lib/context.ts'

/** The actor of a bearer token and its limits, read from the store on every request. */
export type Identity = {
  readonly actor: Actor
  readonly auth: 'session' | 'service_token' | 'api_token'
  /** The console asks the user to choose a new password. */
  readonly mustChangePassword: boolean
  /** The user may do nothing else before choosing a new password. False for the default admin on loopback. */
  readonly isBlocked: boolean
  readonly expiresAt: Date | null
  /**
   * Ids of the accounts that an API token depends on: a change of one of them may change the token's rights.
   */
  readonly follows?: readonly string[]
}

export type Authenticator = {
  /**
   * Throws `auth.required` without a token, `auth.invalid_token` if the token is unknown, expired or revoked.
   */
  identify(
    token: string | null,
    now: Date,
    options?: {
      /** True for requests without user activity, such as polling: they do not extend an idle session. */
      readonly isPassive?: boolean
    },
  ): Promise<Identity>
}

/** Filter for the identities whose access changed. An identity matches if it fits every field that is set. */
export type Whose = {
  readonly userId?: string
  readonly sessionId?: string
  readonly tokenKind?: 'service_token'
  /** Id of an API token. */
  readonly tokenId?: string
}

/** Returns true if a change of access may concern this identity or an account it depends on. */
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
 * Closes or checks again live connections and event streams after access changed. A method call rather than
 * an event, because security depends on it.
 */
export type LiveAccess = {
  recheck(whose: Whose): void
  /** Moves live connections and event streams from one session to the session of `token`. */
  move(fromSessionId: string, token: string): void
}
