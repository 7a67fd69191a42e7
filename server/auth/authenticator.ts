import type { Db, Query } from '../db/types.ts'
import { fail } from '../lib/fail.ts'
import type { Devices } from './devices/devices.ts'
import { accessOf } from './identity/access.ts'
import {
  findSession,
  findUser,
  hasPasskey,
  type SessionFacts,
  type UserFacts,
} from './identity/identity.store.ts'
import type { Authenticator, Identity } from './identity/identity.ts'
import { localCommandName, serviceTokenName } from './reserved-names.ts'
import type { SessionActivity } from './sessions/session-activity.ts'
import type { ApiTokens } from './tokens/api-tokens.ts'
import type { LocalTokens } from './tokens/local-tokens.ts'
import type { ServiceToken } from './tokens/service-token.ts'
import type { Tokens } from './tokens/tokens.ts'

/** The identity of every request with the service token. */
export const serviceIdentity: Identity = {
  actor: { kind: 'service_token', id: null, name: serviceTokenName, role: 'admin', sessionId: null },
  auth: 'service_token',
  mustChangePassword: false,
  isBlocked: false,
  expiresAt: null,
}

/** The identity of the command `promptdeck` on the machine of the service, which uses a local token. */
const localIdentity: Identity = {
  ...serviceIdentity,
  actor: { ...serviceIdentity.actor, name: localCommandName },
}

/**
 * Returns true when the user may do nothing before choosing a new password. A user with the default password
 * is only asked to: while that password is active, the service accepts only loopback connections.
 */
const isBlocked = (user: Pick<UserFacts, 'must_change_password' | 'password_is_default'>) =>
  user.must_change_password === 1 && user.password_is_default === 0

/**
 * Returns true when the settings require a second factor that neither the user nor this session has. A passkey
 * counts as both factors, for the session that it opened.
 */
export const lacksSecondFactor = (
  user: Pick<UserFacts, 'second_factor'>,
  session: Pick<SessionFacts, 'method'>,
  isRequired: boolean,
) => isRequired && user.second_factor === 0 && session.method !== 'passkey'

/** Returns what the user must do in this session before anything else. */
async function blocksOf(
  q: Query,
  user: UserFacts,
  session: SessionFacts,
  isRequired: boolean,
): Promise<Pick<Identity, 'isBlocked' | 'mustSetUpSecondFactor' | 'mustUsePasskey'>> {
  const mustChange = isBlocked(user)
  const mustSetUp = lacksSecondFactor(user, session, isRequired)
  return {
    isBlocked: mustChange || mustSetUp,
    mustSetUpSecondFactor: mustSetUp && !mustChange,
    // Otherwise a password alone would suffice to add a factor.
    mustUsePasskey: mustSetUp && (await hasPasskey(q, user.id)),
  }
}

export type AuthenticatorDeps = {
  readonly db: Db
  readonly tokens: Tokens
  readonly serviceToken: ServiceToken
  readonly apiTokens: ApiTokens
  readonly localTokens: LocalTokens
  readonly activity: SessionActivity
  readonly devices: Pick<Devices, 'touch'>
  readonly isSecondFactorRequired: () => boolean
}

/** `{"` in Base64: the start of a session token. Only its holder can sign in again. */
const jwtStart = 'eyJ'

/** Authenticates a bearer token: a session token, the service token, a local token or an API token. */
export function createAuthenticator({
  db,
  tokens,
  serviceToken,
  apiTokens,
  localTokens,
  activity,
  devices,
  isSecondFactorRequired,
}: AuthenticatorDeps): Authenticator {
  const touch = (
    { id, device_id }: { readonly id: string; readonly device_id: string | null },
    now: Date,
  ) => {
    activity.touch(id, now)
    if (device_id !== null) devices.touch(device_id, now)
  }

  const fromSession = async (token: string, now: Date, isPassive: boolean): Promise<Identity | null> => {
    const claims = tokens.verify(token, now)
    if (claims === null) return null
    const session = await findSession(db.read, claims.sessionId)
    if (!session || session.user_id !== claims.userId) return null
    if (activity.endsAtMs(session) <= now.getTime()) return null
    const user = await findUser(db.read, session.user_id)
    if (!user || user.disabled === 1) return null
    if (!isPassive) touch(session, now)
    const { role, memberships } = await accessOf(db.read, user)
    return {
      actor: {
        kind: 'user',
        id: user.id,
        name: user.username,
        role,
        ...(memberships !== null && { memberships }),
        sessionId: session.id,
      },
      auth: 'session',
      mustChangePassword: user.must_change_password === 1,
      ...(await blocksOf(db.read, user, session, isSecondFactorRequired())),
      expiresAt: new Date(activity.endsAtMs(session)),
    }
  }

  const fromLocalToken = (token: string, now: Date, isLocalPeer: () => boolean): Identity | null =>
    localTokens.matches(token, now) && isLocalPeer() ? localIdentity : null

  return {
    async identify(token, now, options) {
      if (token === null) throw fail('auth.required')
      const identity =
        (await fromSession(token, now, options?.isPassive === true)) ??
        (serviceToken.matches(token) ? serviceIdentity : null) ??
        fromLocalToken(token, now, options?.isLocalPeer ?? (() => false)) ??
        (await apiTokens.identify(token, now))
      if (identity === null) {
        throw fail('auth.invalid_token', {
          detail: `The token is unknown, expired or revoked. ${token.startsWith(jwtStart) ? 'Sign in again' : 'Use another token'}.`,
        })
      }
      return identity
    },
  }
}
