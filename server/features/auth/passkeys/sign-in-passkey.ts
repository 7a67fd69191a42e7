import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { AuthenticationResponse } from '../../../../contract/accounts/passkeys.ts'
import type { Challenges } from '../../../auth/challenges.ts'
import { networkOf, type Throttle } from '../../../auth/throttle.ts'
import type { Context } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import { type Account, findAccount } from '../accounts.store.ts'
import type { FailedSignIns } from '../failed-sign-ins.ts'
import { type Login, type OpenSessionDeps, openSession } from '../open-session.ts'
import { type PasskeyChallenge, takeChallenge } from './challenge.ts'
import { passkeyPlace } from './origin.ts'
import { findPasskeyByCredential, type PasskeyRow, storePasskeyUse } from './passkeys.store.ts'
import { loadWebauthn } from './webauthn.ts'

export type PasskeySignInDeps = OpenSessionDeps & {
  readonly throttle: Throttle
  readonly failedSignIns: FailedSignIns
  readonly passkeyChallenges: Challenges<PasskeyChallenge>
}

type Place = { readonly challenge: string; readonly origin: string; readonly rpId: string }

/** Returns options without credential ids, so that an anonymous caller cannot find out who has a passkey. */
export async function signInOptions({ passkeyChallenges }: PasskeySignInDeps, ctx: Context) {
  const place = passkeyPlace(ctx.origin)
  const { challenge } = await passkeyChallenges.issue(networkOf(ctx.ip), { ...place, sessionId: null })
  const { generateAuthenticationOptions } = await loadWebauthn()
  const options = await generateAuthenticationOptions({
    rpID: place.rpId,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    userVerification: 'required',
  })
  return { options: { ...options } }
}

/** Signs a user in with a passkey, which counts as both factors. Throws 401, or 429 after too many failures. */
export async function signInWithPasskey(
  deps: PasskeySignInDeps,
  ctx: Context,
  response: AuthenticationResponse,
): Promise<Login> {
  const place = passkeyPlace(ctx.origin)
  const login = await deps.throttle.attempt('passkey', ctx.ip, async () => {
    const issued = await takeChallenge(deps.passkeyChallenges, response.response.clientDataJSON, {
      ...place,
      sessionId: null,
    })
    const passkey = await findPasskeyByCredential(deps.db.read, response.id)
    const account = passkey && (await findAccount(deps.db.read, passkey.user_id))
    const opened =
      passkey && account && account.disabled === 0
        ? await openVerified(deps, ctx, { passkey, account, issued, response })
        : null
    if (opened === null) await deps.failedSignIns.record(ctx, account?.username ?? null, 'passkey')
    return opened
  })
  if (login !== null) return login
  throw fail('auth.invalid_passkey', {
    detail: 'This passkey is not accepted. It may have been removed. Sign in with your password.',
  })
}

type Attempt = {
  readonly passkey: PasskeyRow
  readonly account: Account
  readonly issued: Place
  readonly response: AuthenticationResponse
}

async function openVerified(
  deps: PasskeySignInDeps,
  ctx: Context,
  { passkey, account, issued, response }: Attempt,
): Promise<Login | null> {
  const counter = await verifiedCounter(passkey, issued, response)
  if (counter === null) return null
  return openSession(deps, ctx, {
    account,
    method: 'passkey',
    use: async ({ q }) =>
      (await storePasskeyUse(q, passkey, counter, ctx.now.getTime()))
        ? ` with the passkey ${passkey.name}`
        : null,
  })
}

/**
 * Returns the new signature counter of a reply whose challenge, origin, host, signature, user verification and
 * counter are correct; else null.
 */
async function verifiedCounter(
  passkey: PasskeyRow,
  { challenge, origin, rpId }: Place,
  response: AuthenticationResponse,
): Promise<number | null> {
  if (passkey.rp_id !== rpId) return null
  const { verifyAuthenticationResponse } = await loadWebauthn()
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      // The library checks the rest of the shape.
      response: response as unknown as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
      },
    })
    return verified ? authenticationInfo.newCounter : null
  } catch {
    // The library throws a plain error for each rule that a reply breaks. Every other argument is ours.
    return null
  }
}
