import type { z } from 'zod'
import type { CreateUserBody, User } from '../../../contract/accounts/users.ts'
import { requireStrongPassword } from '../../auth/passwords/password-policy.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import type { Db, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { NewId } from '../../lib/ids.ts'
import { fold } from '../../lib/text/search.ts'
import {
  type AccountRights,
  accessSummary,
  planAccess,
  storeMemberships,
} from '../../resources/memberships.ts'
import { requireFreeUsername, requireUsableUsername } from './usernames.ts'
import { requireMayChange } from './users.policy.ts'
import { insertUser, toWire, type UserRow } from './users.store.ts'

export type NewUserDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly passwords: Passwords
  readonly mayTokensCreateAdmins: () => boolean
}

export type NewUserBody = z.output<typeof CreateUserBody>
/** A user that is checked but not stored. It has the hash of the password instead of the password. */
export type NewUser = { readonly row: UserRow; readonly memberships: AccountRights['memberships'] }

export async function create(
  deps: NewUserDeps,
  ctx: Context,
  body: z.output<typeof CreateUserBody>,
): Promise<User> {
  requireMayChange(ctx, null, body, deps.mayTokensCreateAdmins())
  const user = await prepareUser(deps, ctx.now, body)
  return deps.db.write((tx) => insertNewUser(deps, tx, ctx, user))
}

/** Checks the name and password of a new user and hashes the password. */
export async function prepareUser(
  { db, newId, passwords }: NewUserDeps,
  now: Date,
  body: NewUserBody,
): Promise<NewUser> {
  requireUsableUsername(body.username)
  await requireStrongPassword('password', body.password, body.username, passwords.isCommon)
  await requireFreeUsername(db.read, body.username, null)
  const passwordHash = await passwords.hash(body.password)
  const nowMs = now.getTime()
  const { role, access, memberships } = await planAccess(db.read, body, null)
  const row: UserRow = {
    id: newId(),
    username: body.username,
    username_folded: fold(body.username),
    password_hash: passwordHash,
    password_is_default: 0,
    role,
    access,
    disabled: body.disabled === true ? 1 : 0,
    must_change_password: body.must_change_password === true ? 1 : 0,
    second_factor: 0,
    last_login_at: null,
    created_at: nowMs,
    updated_at: nowMs,
  }
  return { row, memberships }
}

/** Stores a prepared user. Throws 409 if the name was taken, and 422 if a workspace was deleted meanwhile. */
export async function insertNewUser(
  { history, mayTokensCreateAdmins }: NewUserDeps,
  tx: Tx,
  ctx: Context,
  { row, memberships }: NewUser,
): Promise<User> {
  requireMayChange(ctx, null, { role: row.role, memberships }, mayTokensCreateAdmins())
  await requireFreeUsername(tx.q, row.username, null)
  await planAccess(tx.q, { role: row.role, access: row.access, memberships }, null)
  await insertUser(tx.q, row)
  await storeMemberships(tx.q, row.id, memberships)
  const user = toWire(row, memberships)
  await history.record(tx, ctx, {
    action: 'create',
    resource: 'user',
    resourceId: row.id,
    key: row.username,
    summary: `Added the user ${row.username} ${accessSummary(user)}`,
    after: user,
  })
  return user
}
