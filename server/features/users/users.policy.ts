import type { User } from '../../../contract/accounts/users.ts'
import type { Query } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { isAdminAnywhere, membershipsOf, type SomeRights } from '../../resources/memberships.ts'
import { findUserById, toWire, type UserRow } from './users.store.ts'

/** Returns the user with this id. Throws 404 if there is none. */
export async function requireUser(q: Query, id: string): Promise<UserRow> {
  const row = await findUserById(q, id)
  if (!row) throw fail('not_found', { detail: 'User not found.' })
  return row
}

export const describe = async (q: Query, row: UserRow): Promise<User> =>
  toWire(row, (await membershipsOf(q, [row.id]))(row.id))

type Change = SomeRights & { readonly password?: string | undefined; readonly disabled?: boolean | undefined }

/**
 * Throws if an API token would gain an admin account that outlives it: by creating, promoting or enabling one, or by
 * setting the password of one. The setting `api_tokens_may_create_admins` allows it.
 */
export function requireMayChange(
  ctx: Context,
  current: Change | null,
  change: Change,
  mayCreateAdmins: boolean,
): void {
  if (ctx.actor.kind !== 'api_token' || mayCreateAdmins) return
  const wasAdmin = current !== null && isAdminAnywhere(current)
  const isEnabled = current?.disabled === true && change.disabled === false
  const becomesAdmin = (isAdminAnywhere(change) && !wasAdmin) || (wasAdmin && isEnabled)
  const setsAdminPassword = wasAdmin && change.password !== undefined
  if (!becomesAdmin && !setsAdminPassword) return
  throw fail('auth.forbidden', {
    detail: setsAdminPassword
      ? 'An API token cannot set the password of an admin. Sign in as an admin, or change the setting api_tokens_may_create_admins.'
      : 'An API token cannot make a user an admin, or enable one. Sign in as an admin, or change the setting api_tokens_may_create_admins.',
  })
}
