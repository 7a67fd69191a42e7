import type { Actor } from '../../lib/context.ts'

/** The actor of a bearer token and its limits, read from the store on every request. */
export type Identity = {
  readonly actor: Actor
  readonly auth: 'session' | 'service_token' | 'api_token'
  /** The console asks the user to choose a new password. */
  readonly mustChangePassword: boolean
  /**
   * The user may do nothing else before choosing a new password or setting up a second factor. The default admin
   * on loopback need not choose a password.
   */
  readonly isBlocked: boolean
  /** Set if the user is blocked by the missing second factor alone. */
  readonly mustSetUpSecondFactor?: boolean
  /** Set if the user lacks a second factor in this session only, and may not add one here: a passkey opens others. */
  readonly mustUsePasskey?: boolean
  readonly expiresAt: Date | null
  /**
   * Ids of the users and tokens that an API token depends on: a change of one may change the token's rights.
   */
  readonly dependsOn?: readonly string[]
}

/** Returns the reason to close the live connection of a blocked user. */
export const blockedReason = (identity: Pick<Identity, 'mustSetUpSecondFactor'>): string =>
  identity.mustSetUpSecondFactor ? 'Two-factor authentication required' : 'Password change required'

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
      /** Returns true for a request over plain HTTP from this machine itself. Only such requests may use a local token. */
      readonly isLocalPeer?: () => boolean
    },
  ): Promise<Identity>
}

/** The identities whose access changed: those that match every field that is set. */
export type IdentityFilter = {
  readonly userId?: string
  readonly sessionId?: string
  readonly tokenKind?: 'service_token'
  readonly tokenId?: string
}

/** Returns true if a change of access may concern this identity, or a user or token it depends on. */
export function matchesFilter({ actor, auth, dependsOn = [] }: Identity, filter: IdentityFilter): boolean {
  const isOrDependsOn = (id: string) => actor.id === id || dependsOn.includes(id)
  return (
    (filter.userId === undefined || isOrDependsOn(filter.userId)) &&
    (filter.sessionId === undefined || actor.sessionId === filter.sessionId) &&
    (filter.tokenKind === undefined || auth === filter.tokenKind) &&
    (filter.tokenId === undefined || (auth === 'api_token' && isOrDependsOn(filter.tokenId)))
  )
}

/**
 * Rechecks live connections and event streams after a change of access, and closes those without access. A
 * direct call instead of an event, because security depends on it.
 */
export type LiveAccess = {
  recheck(filter: IdentityFilter): void
  /** Moves live connections and event streams from one session to the session of `token`. */
  move(fromSessionId: string, token: string): void
}
