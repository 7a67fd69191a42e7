import type { z } from 'zod'
import type { CreateUserBody, ListUsersQuery, UpdateUserBody, User } from '../../../contract/users.ts'
import type { DefaultCredentials } from '../../auth/defaults.ts'
import type { LiveAccess } from '../../auth/identity.ts'
import { requireStrongPassword } from '../../auth/password-policy.ts'
import type { Passwords } from '../../auth/passwords.ts'
import type { SessionActivity } from '../../auth/session-activity.ts'
import { deleteSession, deleteSessionsOf, openSessionsOf } from '../../auth/sessions.store.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text/search.ts'
import { requireFreeUsername, requireUsableUsername } from './usernames.ts'
import { actionOf, changesOf, summaryOf } from './users.changes.ts'
import { requireMayChange } from './users.policy.ts'
import {
  deleteUser,
  findUserById,
  hasOtherActiveAdmin,
  insertUser,
  listUsers,
  toWire,
  type UserRow,
  updateUser,
  userKeys,
  userOrder,
} from './users.store.ts'

export type UsersDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly passwords: Passwords
  readonly activity: SessionActivity
  readonly liveAccess: LiveAccess
  readonly defaults: DefaultCredentials
  /** Returns the number of API tokens that depend on this user. */
  readonly countTokensOf: (q: Query, userId: string) => Promise<number>
  readonly mayTokensCreateAdmins: () => boolean
}

async function required(q: Query, id: string): Promise<UserRow> {
  const row = await findUserById(q, id)
  if (!row) throw fail('not_found', { detail: 'There is no such user.' })
  return row
}

const isActiveAdmin = (row: UserRow) => row.role === 'admin' && row.disabled === 0

export type UsersService = ReturnType<typeof createUsersService>

export function createUsersService({
  db,
  history,
  newId,
  passwords,
  activity,
  liveAccess,
  defaults,
  countTokensOf,
  mayTokensCreateAdmins,
}: UsersDeps) {
  /** Updates open connections and the warning about default credentials after a commit. */
  const accessChanged = async (userId: string) => {
    liveAccess.recheck({ userId })
    await defaults.refresh()
  }

  /** Returns the part of the audit entry about dependent API tokens, and the entity to fetch again. */
  const followedBy = async (q: Query, userId: string, verb: string) => {
    const count = await countTokensOf(q, userId)
    return count === 0
      ? null
      : { note: `; API tokens that ${verb} with it: ${count}`, alsoChanged: 'token' as const }
  }

  return {
    async list(_ctx: Context, query: z.output<typeof ListUsersQuery>) {
      const plan = planPage(query, userOrder(query.sort ?? 'username'))
      const { rows, total } = await listUsers(db.read, query, plan)
      return toPage(plan, rows, total, userKeys(plan.order.name), toWire)
    },

    async get(_ctx: Context, id: string): Promise<User> {
      return toWire(await required(db.read, id))
    },

    async create(ctx: Context, body: z.output<typeof CreateUserBody>): Promise<User> {
      requireMayChange(ctx, null, body, mayTokensCreateAdmins())
      requireUsableUsername(body.username)
      await requireStrongPassword('password', body.password, body.username, passwords.isCommon)
      await requireFreeUsername(db.read, body.username, null)
      const passwordHash = await passwords.hash(body.password)
      const nowMs = ctx.now.getTime()
      const row: UserRow = {
        id: newId(),
        username: body.username,
        username_folded: fold(body.username),
        password_hash: passwordHash,
        password_is_default: 0,
        role: body.role,
        disabled: body.disabled === true ? 1 : 0,
        must_change_password: body.must_change_password === true ? 1 : 0,
        last_login_at: null,
        created_at: nowMs,
        updated_at: nowMs,
      }
      const user = toWire(row)
      await db.write(async (tx) => {
        await requireFreeUsername(tx.q, body.username, null)
        await insertUser(tx.q, row)
        await history.record(tx, ctx, {
          action: 'create',
          resource: 'user',
          resourceId: row.id,
          key: row.username,
          summary: `Added the user ${row.username} as ${row.role}`,
          after: user,
        })
      })
      return user
    },

    /** Changes a user. If nothing differs, there is no audit entry and no new `updated_at`. */
    async update(ctx: Context, id: string, body: z.output<typeof UpdateUserBody>): Promise<User> {
      const current = await required(db.read, id)
      requireMayChange(ctx, current, body, mayTokensCreateAdmins())
      if (body.username !== undefined) requireUsableUsername(body.username)
      if (body.password !== undefined) {
        const username = body.username ?? current.username
        await requireStrongPassword('password', body.password, username, passwords.isCommon)
      }
      const passwordHash = body.password === undefined ? undefined : await passwords.hash(body.password)
      const { after, isChanged } = await db.write(async (tx) => {
        const before = await required(tx.q, id)
        const changes = changesOf(before, body, passwordHash)
        if (Object.keys(changes).length === 0) return { after: before, isChanged: false }
        if (changes.username !== undefined) await requireFreeUsername(tx.q, changes.username, id)
        const after: UserRow = { ...before, ...changes, updated_at: ctx.now.getTime() }
        if (isActiveAdmin(before) && !isActiveAdmin(after) && !(await hasOtherActiveAdmin(tx.q, id))) {
          throw fail('user.last_admin', {
            detail: `${before.username} is the last active admin and can be neither demoted nor disabled.`,
          })
        }
        await updateUser(tx.q, id, { ...changes, updated_at: after.updated_at })
        const hasToLeave = changes.password_hash !== undefined || changes.disabled === 1
        if (hasToLeave) await deleteSessionsOf(tx.q, id)
        const isFollowed = changes.role !== undefined || changes.disabled !== undefined
        const followed = isFollowed ? await followedBy(tx.q, id, 'change') : null
        await history.record(tx, ctx, {
          action: actionOf(changes),
          resource: 'user',
          resourceId: id,
          key: after.username,
          summary: `${summaryOf(before, changes)}${followed?.note ?? ''}`,
          ...(followed !== null && { alsoChanged: followed.alsoChanged }),
          before: toWire(before),
          after: toWire(after),
        })
        return { after, isChanged: true }
      })
      if (isChanged) await accessChanged(id)
      return toWire(after)
    },

    async remove(ctx: Context, id: string): Promise<{ ok: true }> {
      await db.write(
        async (tx) => {
          const row = await required(tx.q, id)
          if (isActiveAdmin(row) && !(await hasOtherActiveAdmin(tx.q, id))) {
            throw fail('user.last_admin', {
              detail: `${row.username} is the last active admin and cannot be deleted.`,
            })
          }
          const followed = await followedBy(tx.q, id, 'end')
          await deleteSessionsOf(tx.q, id)
          await deleteUser(tx.q, id)
          await history.record(tx, ctx, {
            action: 'delete',
            resource: 'user',
            resourceId: id,
            key: row.username,
            summary: `Deleted the user ${row.username}${followed?.note ?? ''}`,
            ...(followed !== null && { alsoChanged: followed.alsoChanged }),
            before: toWire(row),
          })
        },
        { evenWhenFull: true },
      )
      await accessChanged(id)
      return { ok: true }
    },

    async sessions(ctx: Context, id: string) {
      await required(db.read, id)
      const nowMs = ctx.now.getTime()
      const rows = await openSessionsOf(db.read, id, nowMs)
      const open = rows.filter((row) => activity.endsAtMs(row) > nowMs)
      const data = open.map((row) => activity.toWire(row, ctx.actor.sessionId))
      return { data, total: data.length, next_cursor: null }
    },

    async revokeSession(ctx: Context, id: string, sessionId: string): Promise<{ ok: true }> {
      await db.write(
        async (tx) => {
          const row = await required(tx.q, id)
          if (!(await deleteSession(tx.q, sessionId, id))) {
            throw fail('not_found', { detail: `${row.username} has no such session.` })
          }
          await history.record(tx, ctx, {
            action: 'revoke',
            resource: 'session',
            resourceId: sessionId,
            userId: id,
            key: row.username,
            summary: `Ended a session of ${row.username}`,
          })
        },
        { evenWhenFull: true },
      )
      liveAccess.recheck({ sessionId })
      return { ok: true }
    },

    async revokeSessions(ctx: Context, id: string): Promise<{ ok: true; revoked: number }> {
      const revoked = await db.write(
        async (tx) => {
          const row = await required(tx.q, id)
          const ended = await deleteSessionsOf(tx.q, id)
          if (ended === 0) return 0
          await history.record(tx, ctx, {
            action: 'revoke',
            resource: 'user',
            resourceId: id,
            key: row.username,
            summary: `Ended every session of ${row.username} (${ended})`,
            changed: 'session',
          })
          return ended
        },
        { evenWhenFull: true },
      )
      liveAccess.recheck({ userId: id })
      return { ok: true, revoked }
    },
  }
}
