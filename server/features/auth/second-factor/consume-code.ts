import type { Db } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import type { Vault } from '../../../secrets/vault.ts'
import type { Account } from '../accounts.store.ts'
import type { FailedSignIns } from '../failed-sign-ins.ts'
import { type CodeThrottles, findCode, throttled } from './codes.ts'

export type ConsumeCodeDeps = CodeThrottles & {
  readonly db: Db
  readonly vault: Vault
  readonly failedSignIns: FailedSignIns
}

/**
 * Uses up a code of a user whose password was correct, outside a sign-in. Throws 401 without a correct code, or 429
 * after too many failures. `path` names the field in the request.
 */
export async function consumeCode(
  deps: ConsumeCodeDeps,
  ctx: Context,
  account: Account,
  { path, text }: { readonly path: string; readonly text: string | undefined },
): Promise<void> {
  const needed = 'Enter a code from your authenticator app, or a recovery code.'
  if (text === undefined)
    throw fail('auth.second_factor_required', { detail: needed, errors: [{ path, message: needed }] })
  const used = await throttled(deps, ctx, account.id, async () => {
    const match = await findCode({ q: deps.db.read, vault: deps.vault }, account.id, text, ctx.now)
    const summaryEnd = match && (await deps.db.write((tx) => match.use(tx), { evenWhenFull: true }))
    if (summaryEnd === null) await deps.failedSignIns.record(ctx, account.username, 'code')
    return summaryEnd
  })
  if (used !== null) return
  const detail = 'The code is wrong or was used before.'
  throw fail('auth.invalid_code', { detail, errors: [{ path, message: detail }] })
}
