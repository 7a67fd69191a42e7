import { hash, randomBytes } from 'node:crypto'
import { passwordLinkHours } from '../../../../contract/accounts/password-links.ts'
import type { DefaultCredentials } from '../../../auth/defaults.ts'
import { revokeDesktopsOf } from '../../../auth/devices/revoke.ts'
import type { LiveAccess } from '../../../auth/identity/identity.ts'
import { endPasswordLinks } from '../../../auth/password-links.store.ts'
import { requireStrongPassword } from '../../../auth/passwords/password-policy.ts'
import type { Passwords } from '../../../auth/passwords/passwords.ts'
import { deleteSessionsOf } from '../../../auth/sessions/sessions.store.ts'
import type { Throttle } from '../../../auth/throttle.ts'
import type { Db } from '../../../db/types.ts'
import type { History } from '../../../history/history.ts'
import type { Context } from '../../../lib/context.ts'
import { dayMs, hourMs } from '../../../lib/durations.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { type Account, findAccount, storeChosenPassword } from '../accounts.store.ts'
import type { FailedSignIns } from '../failed-sign-ins.ts'
import { requireManaged } from '../managed-account.ts'
import {
  consumePasswordLink,
  findPasswordLink,
  insertPasswordLink,
  isUsable,
  type PasswordLinkRow,
} from './password-links.store.ts'

export type PasswordLinksDeps = {
  readonly db: Db
  readonly history: History
  readonly passwords: Passwords
  readonly throttle: Throttle
  readonly failedSignIns: FailedSignIns
  readonly liveAccess: LiveAccess
  readonly defaults: DefaultCredentials
  readonly mayTokensCreateAdmins: () => boolean
}

type RedeemBody = { readonly token: string; readonly new_password: string }
type Link = { readonly row: PasswordLinkRow; readonly account: Account }

/** Time for which an ended link is kept, so that the audit log can name its user. */
const keepMs = 30 * dayMs
const prefix = 'pd_link_'

const newToken = (): string => `${prefix}${randomBytes(32).toString('base64url')}`
/** A fast hash suffices, because the token is random. */
const hashOf = (token: string): string => hash('sha256', token, 'hex')

export type PasswordLinksService = ReturnType<typeof createPasswordLinksService>

/** One-time links with which users choose a new password. Admins create them. */
export function createPasswordLinksService(deps: PasswordLinksDeps) {
  return {
    create: (ctx: Context, userId: string) => create(deps, ctx, userId),
    async check(ctx: Context, token: string) {
      const { row, account } = await requireLink(deps, ctx, token)
      return { username: account.username, expires_at: new Date(row.expires_at).toISOString() }
    },
    redeem: (ctx: Context, body: RedeemBody) => redeem(deps, ctx, body),
  }
}

async function create(deps: PasswordLinksDeps, ctx: Context, userId: string) {
  const token = newToken()
  const nowMs = ctx.now.getTime()
  const expiresAtMs = nowMs + passwordLinkHours * hourMs
  const username = await deps.db.write(async (tx) => {
    const account = await requireManaged(tx.q, ctx, userId, deps.mayTokensCreateAdmins())
    if (account.disabled === 1) throw invalid('id', `${account.username} is disabled. Enable the user first`)
    await endPasswordLinks(tx.q, userId)
    const row: PasswordLinkRow = {
      hash: hashOf(token),
      user_id: userId,
      created_by: ctx.actor.name,
      created_at: nowMs,
      expires_at: expiresAtMs,
      used_at: null,
    }
    await insertPasswordLink(tx.q, row, nowMs - keepMs)
    await deps.history.record(tx, ctx, {
      action: 'create',
      resource: 'password_link',
      resourceId: userId,
      userId,
      key: account.username,
      summary: `Created a one-time link for a new password of ${account.username}`,
      after: { expires_at: new Date(expiresAtMs).toISOString() },
      changed: 'user',
    })
    return account.username
  })
  return { token, username, expires_at: new Date(expiresAtMs).toISOString() }
}

const notValid = () =>
  fail('password_link.invalid', {
    detail: 'This link was used, replaced or has expired. Ask an admin for a new one.',
  })

/** Returns a link that can be used, and its user. Throws 410, or 429 after too many failures. */
async function requireLink(
  { db, throttle, failedSignIns }: PasswordLinksDeps,
  ctx: Context,
  token: string,
): Promise<Link> {
  const nowMs = ctx.now.getTime()
  const link = await throttle.attempt('one-time link', ctx.ip, async () => {
    const row = await findPasswordLink(db.read, hashOf(token))
    const account = row && (await findAccount(db.read, row.user_id))
    if (row && isUsable(row, nowMs) && account?.disabled === 0) return { row, account }
    await failedSignIns.record(ctx, account?.username ?? null, 'link')
    return null
  })
  if (link === null) throw notValid()
  return link
}

async function redeem(deps: PasswordLinksDeps, ctx: Context, { token, new_password }: RedeemBody) {
  const { passwords, failedSignIns, liveAccess, defaults } = deps
  const { account } = await requireLink(deps, ctx, token)
  await requireStrongPassword('new_password', new_password, account.username, passwords.isCommon)
  const hash = await passwords.hash(new_password)
  const isUsed = await storePassword(deps, ctx, { account, linkHash: hashOf(token), hash })
  if (!isUsed) {
    // Another request used the link while this one hashed the password.
    await failedSignIns.record(ctx, account.username, 'link')
    throw notValid()
  }
  liveAccess.recheck({ userId: account.id })
  await defaults.refresh()
  return { ok: true as const, username: account.username }
}

function storePassword(
  deps: PasswordLinksDeps,
  ctx: Context,
  change: { readonly account: Account; readonly linkHash: string; readonly hash: string },
): Promise<boolean> {
  const { db, history } = deps
  const { account, linkHash, hash } = change
  const { id, username, role } = account
  const nowMs = ctx.now.getTime()
  return db.write(
    async (tx) => {
      const current = await findAccount(tx.q, id)
      if (current?.disabled !== 0 || !(await consumePasswordLink(tx.q, linkHash, nowMs))) return false
      await storeChosenPassword(tx.q, id, hash, nowMs)
      await endPasswordLinks(tx.q, id)
      const ended = await deleteSessionsOf(tx.q, id)
      const actor = { kind: 'user', id, name: username, role, sessionId: null } as const
      await revokeDesktopsOf(deps, tx, { ...ctx, actor }, id)
      await history.record(tx, ctx, {
        action: 'password_change',
        resource: 'user',
        resourceId: id,
        key: username,
        summary: `${username} chose a new password with a one-time link; sessions ended: ${ended}`,
        before: { must_change_password: current.must_change_password === 1 },
        after: { must_change_password: false },
        actor,
      })
      return true
    },
    { evenWhenFull: true },
  )
}
