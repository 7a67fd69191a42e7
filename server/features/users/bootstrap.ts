import type { Passwords } from '../../auth/passwords/passwords.ts'
import type { Db } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { NewId } from '../../lib/ids.ts'
import { fold } from '../../lib/text/search.ts'
import { hasUsers, insertUser, toWire, type UserRow } from './users.store.ts'

const defaultUsername = 'admin'
const defaultPassword = 'admin'

export type BootstrapDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly passwords: Passwords
}

/**
 * Creates the default admin if no user exists. Returns true if it did. With the default password, the service
 * listens only on loopback.
 */
export async function ensureFirstAdmin(
  { db, history, newId, passwords }: BootstrapDeps,
  ctx: Context,
): Promise<boolean> {
  if (await hasUsers(db.read)) return false
  const nowMs = ctx.now.getTime()
  const row: UserRow = {
    id: newId(),
    username: defaultUsername,
    username_folded: fold(defaultUsername),
    password_hash: await passwords.hash(defaultPassword),
    password_is_default: 1,
    role: 'admin',
    access: 'all',
    disabled: 0,
    must_change_password: 1,
    second_factor: 0,
    last_login_at: null,
    created_at: nowMs,
    updated_at: nowMs,
  }
  return db.write(
    async (tx) => {
      // Another instance, started at the same time, may have created it meanwhile.
      if (await hasUsers(tx.q)) return false
      await insertUser(tx.q, row)
      await history.record(tx, ctx, {
        action: 'create',
        resource: 'user',
        resourceId: row.id,
        key: row.username,
        summary: 'Created the default admin because there were no users',
        after: toWire(row, []),
      })
      return true
    },
    { evenWhenFull: true },
  )
}
