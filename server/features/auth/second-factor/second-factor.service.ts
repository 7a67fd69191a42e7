import type { SecondFactor } from '../../../../contract/accounts/second-factor.ts'
import type { Challenges } from '../../../auth/challenges.ts'
import type { LiveAccess } from '../../../auth/identity/identity.ts'
import type { Tx } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import type { Vault } from '../../../secrets/vault.ts'
import type { Account } from '../accounts.store.ts'
import {
  type CurrentPasswordDeps,
  requireUnchanged,
  signedInUser,
  verifyCurrentPassword,
} from '../signed-in.ts'
import { type CodeThrottles, throttled, totpPurpose, wrongCode } from './codes.ts'
import { newRecoveryCodes } from './recovery-codes.ts'
import {
  countRecoveryCodes,
  deleteSecondFactor,
  findSecondFactor,
  insertSecondFactor,
  replaceRecoveryCodes,
} from './second-factor.store.ts'
import { newTotpSecret, stepOfCode, totpUri } from './totp.ts'

/** A secret that no code has confirmed yet. */
export type Setup = {
  readonly account: Account
  readonly sessionId: string
  readonly secret: string
}

export type SecondFactorDeps = CurrentPasswordDeps &
  CodeThrottles & {
    readonly history: History
    readonly vault: Vault
    readonly liveAccess: LiveAccess
    readonly setups: Challenges<Setup>
    readonly isRequired: () => boolean
  }

type WithPassword = { readonly current_password: string }
export type SecondFactorService = ReturnType<typeof createSecondFactorService>

/** Manages the authenticator app and the recovery codes of the signed-in user. */
export function createSecondFactorService(deps: SecondFactorDeps) {
  return {
    get: (ctx: Context) => get(deps, ctx),
    start: (ctx: Context, body: WithPassword) => start(deps, ctx, body.current_password),
    confirm: (ctx: Context, body: { readonly setup: string; readonly code: string }) =>
      confirm(deps, ctx, body.setup, body.code),
    createRecoveryCodes: (ctx: Context, body: WithPassword) => replaceCodes(deps, ctx, body.current_password),
    remove: (ctx: Context, body: WithPassword) => remove(deps, ctx, body.current_password),
  }
}

async function get({ db, isRequired }: SecondFactorDeps, ctx: Context): Promise<SecondFactor> {
  const { userId } = signedInUser(ctx)
  const row = await findSecondFactor(db.read, userId)
  return {
    enabled: row !== undefined,
    enabled_at: row === undefined ? null : new Date(row.created_at).toISOString(),
    recovery_codes_left: await countRecoveryCodes(db.read, userId),
    required: isRequired(),
  }
}

const alreadyOn = () =>
  fail('user.second_factor_on', {
    detail: 'Two-factor authentication is already on. Turn it off first to use another app.',
  })

const notOn = () => fail('not_found', { detail: 'Two-factor authentication is off.' })

/** Returns a new secret, which a code must confirm. */
async function start(deps: SecondFactorDeps, ctx: Context, password: string) {
  const user = signedInUser(ctx)
  const account = await verifyCurrentPassword(deps, ctx, user, password)
  if (account.second_factor === 1) throw alreadyOn()
  const secret = newTotpSecret()
  const { sessionId } = user
  const { challenge, expiresAt } = await deps.setups.issue(user.userId, { account, sessionId, secret })
  return {
    setup: challenge,
    secret,
    uri: totpUri(secret, account.username),
    expires_at: expiresAt.toISOString(),
  }
}

async function confirm(deps: SecondFactorDeps, ctx: Context, setup: string, code: string) {
  const user = signedInUser(ctx)
  const { userId, sessionId } = user
  const pending = await deps.setups.find(setup)
  if (pending === null || pending.account.id !== userId || pending.sessionId !== sessionId) {
    throw fail('auth.challenge_expired', { detail: 'The setup took too long. Start again.' })
  }
  const { secret, account: verified } = pending
  const step = await throttled(deps, ctx, userId, async () =>
    stepOfCode(secret, code.replace(/\s/g, ''), ctx.now),
  )
  if (step === null) {
    throw wrongCode(
      'The code is wrong. Enter the current code, and check that the clock of your device is right.',
    )
  }
  const sealed = await deps.vault.seal(userId, totpPurpose, secret)
  const codes = newRecoveryCodes()
  await deps.db.write(async (tx) => {
    const account = await requireUnchanged(tx.q, user, verified)
    if (account.second_factor === 1) throw alreadyOn()
    const created_at = ctx.now.getTime()
    await insertSecondFactor(tx.q, { user_id: userId, secret: sealed, last_step: step, created_at })
    await replaceRecoveryCodes(tx.q, userId, codes)
    await record(deps, tx, ctx, account, 'create', 'turned on two-factor authentication')
  })
  await deps.setups.take(setup)
  return { ok: true as const, recovery_codes: codes }
}

async function replaceCodes(deps: SecondFactorDeps, ctx: Context, password: string) {
  const user = signedInUser(ctx)
  const verified = await verifyCurrentPassword(deps, ctx, user, password)
  const codes = newRecoveryCodes()
  await deps.db.write(async (tx) => {
    const account = await requireUnchanged(tx.q, user, verified)
    if (account.second_factor === 0) throw notOn()
    await replaceRecoveryCodes(tx.q, user.userId, codes)
    await record(deps, tx, ctx, account, 'update', 'replaced their recovery codes')
  })
  return { recovery_codes: codes }
}

async function remove(deps: SecondFactorDeps, ctx: Context, password: string): Promise<{ ok: true }> {
  const user = signedInUser(ctx)
  const verified = await verifyCurrentPassword(deps, ctx, user, password)
  await deps.db.write(
    async (tx) => {
      const account = await requireUnchanged(tx.q, user, verified)
      if (!(await deleteSecondFactor(tx.q, user.userId))) throw notOn()
      await record(deps, tx, ctx, account, 'delete', 'turned off two-factor authentication')
    },
    { evenWhenFull: true },
  )
  deps.liveAccess.recheck({ userId: user.userId })
  return { ok: true }
}

function record(
  { history }: SecondFactorDeps,
  tx: Tx,
  ctx: Context,
  { id, username }: Account,
  action: 'create' | 'update' | 'delete',
  change: string,
): Promise<void> {
  return history.record(tx, ctx, {
    action,
    resource: 'second_factor',
    resourceId: id,
    userId: id,
    key: username,
    summary: `${username} ${change}`,
    changed: 'user',
  })
}
