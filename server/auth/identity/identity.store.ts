import { prepareQuery } from '../../db/prepared.ts'
import type { SessionsTable, UsersTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'

export type SessionFacts = Pick<
  SessionsTable,
  'id' | 'user_id' | 'last_seen_at' | 'expires_at' | 'device_id' | 'method'
>
export type UserFacts = Pick<
  UsersTable,
  | 'id'
  | 'username'
  | 'role'
  | 'access'
  | 'disabled'
  | 'must_change_password'
  | 'password_is_default'
  | 'second_factor'
>

type ById = { id: string }

const sessionById = prepareQuery<ById, SessionFacts>((q, p) =>
  q
    .selectFrom('sessions')
    .select(['id', 'user_id', 'last_seen_at', 'expires_at', 'device_id', 'method'])
    .where('id', '=', p('id')),
)
const userById = prepareQuery<ById, UserFacts>((q, p) =>
  q
    .selectFrom('users')
    .select([
      'id',
      'username',
      'role',
      'access',
      'disabled',
      'must_change_password',
      'password_is_default',
      'second_factor',
    ])
    .where('id', '=', p('id')),
)

/**
 * Returns the session with this id. Runs on every request with a session token. This and `findUser` are faster
 * than one join, which SQLite would plan again each time.
 */
export async function findSession(q: Query, id: string): Promise<SessionFacts | undefined> {
  return (await sessionById(q, { id }))[0]
}

export async function findUser(q: Query, id: string): Promise<UserFacts | undefined> {
  return (await userById(q, { id }))[0]
}

export async function hasPasskey(q: Query, userId: string): Promise<boolean> {
  const passkey = await q
    .selectFrom('passkeys')
    .select('id')
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return passkey !== undefined
}

/** Returns true if an enabled account still has the built-in password. */
export async function hasDefaultPassword(q: Query): Promise<boolean> {
  const user = await q
    .selectFrom('users')
    .select('id')
    .where('password_is_default', '=', 1)
    .where('disabled', '=', 0)
    .limit(1)
    .executeTakeFirst()
  return user !== undefined
}
