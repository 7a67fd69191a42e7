import type { SignInMethod } from '../../../contract/accounts/session.ts'
import { absoluteMs } from '../../auth/sessions/sessions.store.ts'
import type { Tokens } from '../../auth/tokens/tokens.ts'
import type { SessionsTable } from '../../db/schema/schema.ts'
import type { Context } from '../../lib/context.ts'

/** Returns the row of a session that begins with this request, on a paired device unless `deviceId` is null. */
export function newSession(
  ctx: Context,
  id: string,
  userId: string,
  { method, deviceId }: { readonly method: SignInMethod; readonly deviceId: string | null },
): SessionsTable {
  const nowMs = ctx.now.getTime()
  return {
    id,
    user_id: userId,
    created_at: nowMs,
    last_seen_at: nowMs,
    expires_at: nowMs + absoluteMs,
    ip: ctx.ip,
    user_agent: ctx.userAgent,
    device_id: deviceId,
    method,
  }
}

export const tokenOf = (tokens: Tokens, session: SessionsTable): string =>
  tokens.issue({
    id: session.id,
    userId: session.user_id,
    createdAtMs: session.created_at,
    expiresAtMs: session.expires_at,
  })
