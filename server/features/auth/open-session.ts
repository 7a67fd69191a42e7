import type { z } from 'zod'
import type { LoginReply } from '../../../contract/accounts/auth.ts'
import type { DeviceRow } from '../../auth/devices/devices.store.ts'
import { storeDeviceSignIn } from '../../auth/devices/devices.store.ts'
import { deleteOldestSessions, idleMs, insertSession } from '../../auth/sessions/sessions.store.ts'
import type { Tokens } from '../../auth/tokens/tokens.ts'
import type { SessionsTable } from '../../db/schema/schema.ts'
import type { Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { NewId } from '../../lib/ids.ts'
import { type Account, storeLastLogin } from './accounts.store.ts'
import { newSession, tokenOf } from './new-session.ts'

/**
 * Limit of sessions per user, far above what a person needs. The oldest are ended, so that a script cannot
 * fill the store.
 */
const maxSessionsPerUser = 100

export type Login = z.output<typeof LoginReply>

type SessionOwner = Pick<Account, 'id' | 'username' | 'role'>

/** Opens a session of a user whose credentials are verified, and records the sign-in. */
export async function openSession(
  { history, newId }: { readonly history: History; readonly newId: NewId },
  tx: Tx,
  ctx: Context,
  user: SessionOwner,
  device: Pick<DeviceRow, 'id' | 'name'> | null,
): Promise<SessionsTable> {
  const session = newSession(ctx, newId(), user.id, device?.id)
  await deleteOldestSessions(tx.q, user.id, maxSessionsPerUser - 1)
  await insertSession(tx.q, session)
  await storeLastLogin(tx.q, user.id, session.created_at)
  if (device !== null)
    await storeDeviceSignIn(tx.q, device.id, { address: ctx.ip, user_agent: ctx.userAgent })
  await history.record(tx, ctx, {
    action: 'login',
    resource: 'session',
    resourceId: session.id,
    userId: user.id,
    key: user.username,
    summary: `${user.username} signed in${device === null ? '' : ` on ${device.name}`}`,
    actor: { kind: 'user', id: user.id, name: user.username, role: user.role, sessionId: session.id },
  })
  return session
}

/** Returns the reply to a sign-in. */
export const loginOf = (
  tokens: Tokens,
  session: SessionsTable,
  account: SessionOwner & Pick<Account, 'must_change_password'>,
): Login => ({
  ok: true,
  token: tokenOf(tokens, session),
  token_type: 'Bearer',
  expires_at: new Date(Math.min(session.expires_at, session.last_seen_at + idleMs)).toISOString(),
  username: account.username,
  role: account.role,
  must_change_password: account.must_change_password === 1,
})
