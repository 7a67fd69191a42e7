import type { Query } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { isAdminAnywhere, membershipsOf } from '../../resources/memberships.ts'
import { type Account, findAccount } from './accounts.store.ts'

/**
 * Returns the account that an admin changes. Throws 404 if there is none, and 403 if an API token would gain
 * access to an admin account that outlives it.
 */
export async function requireManaged(
  q: Query,
  ctx: Context,
  userId: string,
  mayTokensCreateAdmins: boolean,
): Promise<Account> {
  const account = await findAccount(q, userId)
  if (!account) throw fail('not_found', { detail: 'User not found.' })
  const memberships = (await membershipsOf(q, [userId]))(userId)
  if (
    ctx.actor.kind === 'api_token' &&
    isAdminAnywhere({ ...account, memberships }) &&
    !mayTokensCreateAdmins
  ) {
    throw fail('auth.forbidden', {
      detail:
        'An API token cannot change how an admin signs in. Sign in as an admin, or change the setting api_tokens_may_create_admins.',
    })
  }
  return account
}
