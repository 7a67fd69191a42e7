import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { Account } from './accounts.store.ts'

/**
 * Returns the account that an admin changes. Throws 404 if there is none, and 403 if an API token would gain
 * access to an admin account that outlives it.
 */
export function requireManaged(
  ctx: Context,
  account: Account | undefined,
  mayTokensCreateAdmins: boolean,
): Account {
  if (!account) throw fail('not_found', { detail: 'User not found.' })
  if (ctx.actor.kind === 'api_token' && account.role === 'admin' && !mayTokensCreateAdmins) {
    throw fail('auth.forbidden', {
      detail:
        'An API token cannot change how an admin signs in. Sign in as an admin, or change the setting api_tokens_may_create_admins.',
    })
  }
  return account
}
