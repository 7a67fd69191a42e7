import type { Throttle } from '../../../auth/throttle.ts'
import type { Query, Tx } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import { fail, type Problem } from '../../../lib/fail.ts'
import type { Vault } from '../../../secrets/vault.ts'
import { compactCode, recoveryCodeHash } from './recovery-codes.ts'
import {
  consumeRecoveryCode,
  consumeStep,
  countRecoveryCodes,
  findSecondFactor,
  hasRecoveryCode,
} from './second-factor.store.ts'
import { stepOfCode } from './totp.ts'

/** The purpose with which the secret of an authenticator app is sealed. */
export const totpPurpose = 'totp'

/** A code that is correct and not used yet. */
export type ValidCode = {
  readonly method: 'totp' | 'recovery_code'
  /** Uses the code up. Returns the end of the audit summary, or null if another request used it first. */
  readonly use: (tx: Tx) => Promise<string | null>
}

export type CodeThrottles = {
  /** Counts failures per user and address, as for passwords. */
  readonly throttle: Throttle
  /** Counts failures per user over all addresses: a code has six digits, and the password is known. */
  readonly userThrottle: Throttle
}

export const wrongCode = (detail = 'The code is wrong or was used before.'): Problem =>
  fail('auth.invalid_code', { detail, errors: [{ path: 'code', message: detail }] })

/** Runs `verify` unless too many codes of this user were wrong. A null result is a failure. */
export function throttled<T>(
  { throttle, userThrottle }: CodeThrottles,
  ctx: Context,
  userId: string,
  verify: () => Promise<T | null>,
): Promise<T | null> {
  return userThrottle.attempt('code', userId, () => throttle.attempt(`code of ${userId}`, ctx.ip, verify))
}

/** Returns the code of a user if it is correct, else null. */
export function findCode(
  deps: { readonly q: Query; readonly vault: Vault },
  userId: string,
  text: string,
  now: Date,
): Promise<ValidCode | null> {
  const code = compactCode(text)
  return /^\d{6}$/.test(code) ? findTotp(deps, userId, code, now) : findRecoveryCode(deps.q, userId, code)
}

async function findTotp(
  { q, vault }: { readonly q: Query; readonly vault: Vault },
  userId: string,
  code: string,
  now: Date,
): Promise<ValidCode | null> {
  const row = await findSecondFactor(q, userId)
  if (row === undefined) return null
  const opened = vault.open(userId, totpPurpose, row.secret)
  if ('problem' in opened) {
    throw wrongCode(
      'The service can no longer read the secret of your authenticator app. Use a recovery code, or ask an admin to reset your second factor.',
    )
  }
  const step = stepOfCode(opened.text, code, now)
  if (step === null || step <= row.last_step) return null
  return {
    method: 'totp',
    use: async (tx) => ((await consumeStep(tx.q, userId, step)) ? ' with a code' : null),
  }
}

async function findRecoveryCode(q: Query, userId: string, code: string): Promise<ValidCode | null> {
  const hash = recoveryCodeHash(userId, code)
  if (!(await hasRecoveryCode(q, userId, hash))) return null
  return {
    method: 'recovery_code',
    async use(tx) {
      if (!(await consumeRecoveryCode(tx.q, userId, hash))) return null
      return ` with a recovery code; ${await countRecoveryCodes(tx.q, userId)} left`
    },
  }
}
