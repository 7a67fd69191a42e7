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

/** Closes or re-checks open live connections after access changed. A command, not an event: a rule depends on it. */
export type LiveAccess = {
  recheck(whose: {
    readonly userId?: string
    readonly sessionId?: string
    readonly tokenKind?: 'service_token'
    /** Of an API token. */
    readonly tokenId?: string
  }): void
}
