import type { z } from 'zod'
import type { UpdateUserBody } from '../../../contract/accounts/users.ts'
import type { AuditAction } from '../../../contract/system/audit.ts'
import { capitalize } from '../../lib/text/capitalize.ts'
import { fold } from '../../lib/text/search.ts'
import { type AccountRights, accessSummary } from '../../resources/memberships.ts'
import type { UserRow } from './users.store.ts'

export type UserChanges = Partial<
  Pick<
    UserRow,
    | 'username'
    | 'username_folded'
    | 'password_hash'
    | 'password_is_default'
    | 'role'
    | 'access'
    | 'disabled'
    | 'must_change_password'
  >
>

/** Returns the columns that a PATCH changes to this role and access. A password always counts as a change. */
export function changesOf(
  before: UserRow,
  body: z.output<typeof UpdateUserBody>,
  { role, access }: Pick<UserRow, 'role' | 'access'>,
  passwordHash: string | undefined,
): UserChanges {
  const changes: UserChanges = {}
  if (body.username !== undefined && body.username !== before.username) {
    changes.username = body.username
    changes.username_folded = fold(body.username)
  }
  if (role !== before.role) changes.role = role
  if (access !== before.access) changes.access = access
  if (body.disabled !== undefined && Number(body.disabled) !== before.disabled) {
    changes.disabled = Number(body.disabled)
  }
  // Replacing the default password also fulfils the required change.
  const isReplacingDefault = passwordHash !== undefined && before.password_is_default === 1
  const mustChange = body.must_change_password ?? (isReplacingDefault ? false : undefined)
  if (mustChange !== undefined && Number(mustChange) !== before.must_change_password) {
    changes.must_change_password = Number(mustChange)
  }
  if (passwordHash !== undefined) {
    changes.password_hash = passwordHash
    changes.password_is_default = 0
  }
  return changes
}

export const endsSessions = (changes: UserChanges): boolean =>
  changes.password_hash !== undefined || changes.disabled === 1

/** Returns true if a change applies to the API tokens that depend on the user, too. */
export const changesTokens = (changes: UserChanges): boolean =>
  changes.role !== undefined || changes.disabled !== undefined

/**
 * Returns the action of the audit entry: a PATCH has one entry, named after its most important change. Workspaces
 * are a part of the role.
 */
export function actionOf(changes: UserChanges, isAccessChanged: boolean): AuditAction {
  if (changes.role !== undefined || isAccessChanged) return 'role_change'
  return changes.password_hash === undefined ? 'update' : 'password_change'
}

export function summaryOf(before: UserRow, changes: UserChanges, access: AccountRights | null): string {
  const name = before.username
  const parts: string[] = []
  if (access !== null) parts.push(`changed the access of ${name}, now ${accessSummary(access)}`)
  else if (changes.role !== undefined) {
    parts.push(`changed the role of ${name} from ${before.role} to ${changes.role}`)
  }
  if (changes.password_hash !== undefined) parts.push(`reset the password of ${name}`)
  if (changes.disabled !== undefined) parts.push(`${changes.disabled === 1 ? 'disabled' : 'enabled'} ${name}`)
  if (changes.username !== undefined) parts.push(`renamed ${name} to ${changes.username}`)
  if (changes.must_change_password === 1) parts.push(`asked ${name} for a new password`)
  if (changes.must_change_password === 0) parts.push(`no longer asks ${name} for a new password`)
  const sentence = parts.join(', ')
  return capitalize(sentence)
}
