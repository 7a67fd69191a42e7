import type { KeyObject } from 'node:crypto'
import { type Challenges, createChallenges } from '../../auth/challenges.ts'
import type { DefaultCredentials } from '../../auth/defaults.ts'
import type { Devices } from '../../auth/devices/devices.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import type { SessionActivity } from '../../auth/sessions/session-activity.ts'
import { createThrottle, failureWindowMs } from '../../auth/throttle.ts'
import type { ApiTokens } from '../../auth/tokens/api-tokens.ts'
import type { ServiceToken } from '../../auth/tokens/service-token.ts'
import type { Tokens } from '../../auth/tokens/tokens.ts'
import { createSharedChallenges } from '../../cluster/shared-challenges.ts'
import { createSharedFailures } from '../../cluster/shared-failures.ts'
import type { Config } from '../../config.ts'
import { createAccountService } from '../../features/auth/account.service.ts'
import type { AuthServices } from '../../features/auth/auth.routes.ts'
import { createAuthService } from '../../features/auth/auth.service.ts'
import { createFailedSignIns } from '../../features/auth/failed-sign-ins.ts'
import type { PasskeyChallenge } from '../../features/auth/passkeys/challenge.ts'
import { createPasskeysService } from '../../features/auth/passkeys/passkeys.service.ts'
import { createPasswordLinksService } from '../../features/auth/password-links/password-links.service.ts'
import { createReset } from '../../features/auth/second-factor/reset.ts'
import {
  createSecondFactorService,
  type Setup,
} from '../../features/auth/second-factor/second-factor.service.ts'
import type { PendingSignIn } from '../../features/auth/sign-in.ts'
import { createSignIns } from '../../features/auth/sign-ins/sign-ins.read.ts'
import type { SettingsService } from '../../features/settings/settings.service.ts'
import type { Clock } from '../../lib/clock.ts'
import { minuteMs } from '../../lib/durations.ts'
import type { ComposeDeps, OnClose } from '../deps.ts'
import type { Foundation } from '../foundation/foundation.ts'

type SignInParts = Pick<Foundation, 'db' | 'cluster' | 'history' | 'vault'> & {
  readonly passwords: Passwords
  readonly tokens: Tokens
  readonly serviceToken: ServiceToken
  readonly apiTokens: ApiTokens
  readonly activity: SessionActivity
  readonly liveAccess: LiveAccess
  readonly defaults: DefaultCredentials
  readonly devices: Devices
  /** The key of the HMAC of names and addresses of failed sign-ins in the database. */
  readonly failuresKey: KeyObject
  readonly settings: SettingsService
}

/** Time to enter a code or to use a passkey, and to set up an authenticator app, in milliseconds. */
const challengeMs = 5 * minuteMs
const setupMs = 10 * minuteMs
/** Wrong codes of one user before the first delay, over all addresses. */
const codeFailuresPerUser = 10

/** Creates the services with which people sign in and manage their credentials. */
export function composeSignIn(
  config: Config,
  { clock, newId, logger }: ComposeDeps,
  parts: SignInParts,
  onClose: OnClose,
) {
  const { db, history, settings } = parts
  const failedSignIns = createFailedSignIns({ db, history, clock, logger })
  onClose(() => failedSignIns.close())
  const common = {
    ...parts,
    newId,
    failedSignIns,
    throttle: createThrottle({
      clock,
      perUser: config.loginFailuresPerUser,
      perAddress: config.loginFailuresPerAddress,
      ...sharedLog(parts, clock, 'sign-in'),
    }),
    userThrottle: createThrottle({
      clock,
      perUser: codeFailuresPerUser,
      perAddress: codeFailuresPerUser,
      ...sharedLog(parts, clock, 'code'),
    }),
    pendingSignIns: challengesOf<PendingSignIn>(parts, clock, 'pending sign-in', challengeMs),
    passkeyChallenges: challengesOf<PasskeyChallenge>(parts, clock, 'passkey', challengeMs),
    setups: challengesOf<Setup>(parts, clock, 'second factor setup', setupMs),
    isSecondFactorRequired: () => settings.current().requireSecondFactor,
    mayTokensCreateAdmins: () => settings.current().apiTokensMayCreateAdmins,
  }
  const services: AuthServices = {
    auth: createAuthService({ ...common, permissionOverrides: () => settings.permissionOverrides() }),
    account: createAccountService(common),
    secondFactor: createSecondFactorService({ ...common, isRequired: common.isSecondFactorRequired }),
    resetSecondFactor: createReset(common),
    passkeys: createPasskeysService(common),
    passwordLinks: createPasswordLinksService(common),
    signIns: createSignIns(common),
  }
  return { services, credentials: common }
}

/** Returns the log of failures that instances share; nothing if this is the only one. */
export const sharedLog = (
  { db, cluster, failuresKey: hashKey }: Pick<SignInParts, 'db' | 'cluster' | 'failuresKey'>,
  clock: Clock,
  what: string,
) =>
  cluster.isShared && {
    logOf: (kind: 'pair' | 'address') =>
      createSharedFailures({ db, clock, scope: `${what} ${kind}`, windowMs: failureWindowMs, hashKey }),
  }

/** Creates challenges that instances share; in memory if this is the only one. */
const challengesOf = <T>(
  { db, cluster, vault }: Pick<SignInParts, 'db' | 'cluster' | 'vault'>,
  clock: Clock,
  scope: string,
  lifetimeMs: number,
): Challenges<T> =>
  cluster.isShared
    ? createSharedChallenges({ db, vault, clock, scope, lifetimeMs })
    : createChallenges({ clock, lifetimeMs })

/** Rechecks every live connection when the settings begin to require a second factor. */
export function recheckWhenRequired(settings: SettingsService, liveAccess: LiveAccess): void {
  let isRequired = settings.current().requireSecondFactor
  settings.listen(({ requireSecondFactor }) => {
    if (requireSecondFactor && !isRequired) liveAccess.recheck({})
    isRequired = requireSecondFactor
  })
}
