import type { Challenges } from '../../../auth/challenges.ts'
import type { Context } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import type { Vault } from '../../../secrets/vault.ts'
import type { FailedSignIns } from '../failed-sign-ins.ts'
import { type Login, type OpenSessionDeps, openSession } from '../open-session.ts'
import type { PendingSignIn } from '../sign-in.ts'
import { type CodeThrottles, findCode, throttled, wrongCode } from './codes.ts'

export type CodeSignInDeps = OpenSessionDeps &
  CodeThrottles & {
    readonly vault: Vault
    readonly failedSignIns: FailedSignIns
    readonly pendingSignIns: Challenges<PendingSignIn>
  }

/** Wrong codes after which the password is needed again. */
const maxFailures = 5

const expired = () =>
  fail('auth.challenge_expired', {
    detail: 'The sign-in took too long, or had too many wrong codes. Sign in with your password again.',
  })

/** Completes a sign-in whose password was correct. Throws 401, or 429 after too many failures. */
export async function signInWithCode(
  deps: CodeSignInDeps,
  ctx: Context,
  challenge: string,
  code: string,
): Promise<Login> {
  const { db, vault, failedSignIns, pendingSignIns } = deps
  const pending = await pendingSignIns.find(challenge)
  if (pending === null) throw expired()
  const { account } = pending
  const login = await throttled(deps, ctx, account.id, async () => {
    // Requests of one user run one after another, so that they cannot share the last attempt.
    if ((await pendingSignIns.find(challenge)) === null) throw expired()
    const match = await findCode({ q: db.read, vault }, account.id, code, ctx.now)
    // Another instance may complete the same sign-in with another code. This one then stays usable.
    const opened =
      match &&
      (await openSession(deps, ctx, {
        account,
        method: match.method,
        use: async (tx) => ((await pendingSignIns.takeIn(tx, challenge)) ? match.use(tx) : null),
      }))
    if (opened !== null) return opened
    await pendingSignIns.update(challenge, ({ failures }) =>
      failures + 1 < maxFailures ? { account, failures: failures + 1 } : null,
    )
    await failedSignIns.record(ctx, account.username, 'code')
    return null
  })
  if (login === null) throw wrongCode()
  return login
}
