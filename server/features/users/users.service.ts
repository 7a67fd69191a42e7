import type { z } from 'zod'
import type {
  CreateUserBody,
  ListUsersQuery,
  UpdateUserBody,
  User,
} from '../../../contract/accounts/users.ts'
import type { DefaultCredentials } from '../../auth/defaults.ts'
import { endPasswordLinks } from '../../auth/password-links.store.ts'
import { requireStrongPassword } from '../../auth/passwords/password-policy.ts'
import type { Passwords } from '../../auth/passwords/passwords.ts'
import { deleteSessionsOf } from '../../auth/sessions/sessions.store.ts'
import type { Query, Tx } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text/search.ts'
import { requireFreeUsername, requireUsableUsername } from './usernames.ts'
import {
  actionOf,
  changesOf,
  changesTokens,
  endsSessions,
  summaryOf,
  type UserChanges,
} from './users.changes.ts'
import { requireMayChange, requireUser } from './users.policy.ts'
import { revokeSession, revokeSessions, sessions, type UserSessionsDeps } from './users.sessions.ts'
import {
  deleteUser,
  hasOtherActiveAdmin,
  insertUser,
  listUsers,
  toWire,
  type UserRow,
  updateUser,
  userKeys,
  userOrder,
} from './users.store.ts'

export type UsersDeps = UserSessionsDeps & {
  readonly newId: NewId
  readonly passwords: Passwords
  readonly defaults: DefaultCredentials
  /** Returns the number of API tokens that depend on this user. */
  readonly countTokensOf: (q: Query, userId: string) => Promise<number>
  readonly mayTokensCreateAdmins: () => boolean
}

type UpdateBody = z.output<typeof UpdateUserBody>

const isActiveAdmin = (row: UserRow) => row.role === 'admin' && row.disabled === 0

export type UsersService = ReturnType<typeof createUsersService>

/** Manages users and their sessions. */
export function createUsersService(deps: UsersDeps) {
  const { db } = deps
  return {
    async list(_ctx: Context, query: z.output<typeof ListUsersQuery>) {
      const plan = planPage(query, userOrder(query.sort ?? 'username'))
      const { rows, total } = await listUsers(db.read, query, plan)
      return toPage(plan, rows, total, userKeys(plan.order.name), toWire)
    },
    async get(_ctx: Context, id: string): Promise<User> {
      return toWire(await requireUser(db.read, id))
    },
    create: (ctx: Context, body: z.output<typeof CreateUserBody>) => create(deps, ctx, body),
    update: (ctx: Context, id: string, body: UpdateBody) => update(deps, ctx, id, body),
    remove: (ctx: Context, id: string) => remove(deps, ctx, id),
    sessions: (ctx: Context, id: string) => sessions(deps, ctx, id),
    revokeSession: (ctx: Context, id: string, sessionId: string) => revokeSession(deps, ctx, id, sessionId),
    revokeSessions: (ctx: Context, id: string) => revokeSessions(deps, ctx, id),
  }
}

/** Updates open connections and the warning about default credentials after a commit. */
async function refreshAccess({ liveAccess, defaults }: UsersDeps, userId: string): Promise<void> {
  liveAccess.recheck({ userId })
  await defaults.refresh()
}

/** The suffix of an audit summary about dependent API tokens, and the entity to invalidate. */
type Dependents = { readonly note: string; readonly alsoChanged?: 'token' }
const noDependents: Dependents = { note: '' }

/** Describes the API tokens that depend on a user. */
async function dependentTokens(
  { countTokensOf }: UsersDeps,
  q: Query,
  userId: string,
  verb: string,
): Promise<Dependents> {
  const count = await countTokensOf(q, userId)
  if (count === 0) return noDependents
  return { note: `; API tokens that ${verb} with it: ${count}`, alsoChanged: 'token' }
}

async function create(deps: UsersDeps, ctx: Context, body: z.output<typeof CreateUserBody>): Promise<User> {
  const { db, history, newId, passwords } = deps
  requireMayChange(ctx, null, body, deps.mayTokensCreateAdmins())
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
    second_factor: 0,
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
}

/** Changes a user. If nothing differs, there is no audit entry and no new `updated_at`. */
async function update(deps: UsersDeps, ctx: Context, id: string, body: UpdateBody): Promise<User> {
  const { db, passwords } = deps
  const current = await requireUser(db.read, id)
  requireMayChange(ctx, current, body, deps.mayTokensCreateAdmins())
  if (body.username !== undefined) requireUsableUsername(body.username)
  if (body.password !== undefined) {
    const username = body.username ?? current.username
    await requireStrongPassword('password', body.password, username, passwords.isCommon)
  }
  const passwordHash = body.password === undefined ? undefined : await passwords.hash(body.password)
  const { row, isChanged } = await db.write(async (tx) => {
    const before = await requireUser(tx.q, id)
    const changes = changesOf(before, body, passwordHash)
    if (Object.keys(changes).length === 0) return { row: before, isChanged: false }
    return { row: await applyChanges(deps, tx, ctx, before, changes), isChanged: true }
  })
  if (isChanged) await refreshAccess(deps, id)
  return toWire(row)
}

/** Stores changes of a user and ends the sessions that they revoke. Returns the new row. */
async function applyChanges(
  deps: UsersDeps,
  tx: Tx,
  ctx: Context,
  before: UserRow,
  changes: UserChanges,
): Promise<UserRow> {
  const { id } = before
  if (changes.username !== undefined) await requireFreeUsername(tx.q, changes.username, id)
  const after: UserRow = { ...before, ...changes, updated_at: ctx.now.getTime() }
  if (isActiveAdmin(before) && !isActiveAdmin(after) && !(await hasOtherActiveAdmin(tx.q, id))) {
    throw fail('user.last_admin', {
      detail: `${before.username} is the last active admin and can be neither demoted nor disabled.`,
    })
  }
  await updateUser(tx.q, id, { ...changes, updated_at: after.updated_at })
  if (endsSessions(changes)) await deleteSessionsOf(tx.q, id)
  if (changes.password_hash !== undefined) await endPasswordLinks(tx.q, id, after.updated_at)
  const { note, ...invalidation } = changesTokens(changes)
    ? await dependentTokens(deps, tx.q, id, 'change')
    : noDependents
  await deps.history.record(tx, ctx, {
    action: actionOf(changes),
    resource: 'user',
    resourceId: id,
    key: after.username,
    summary: `${summaryOf(before, changes)}${note}`,
    ...invalidation,
    before: toWire(before),
    after: toWire(after),
  })
  return after
}

async function remove(deps: UsersDeps, ctx: Context, id: string): Promise<{ ok: true }> {
  await deps.db.write(
    async (tx) => {
      const row = await requireUser(tx.q, id)
      if (isActiveAdmin(row) && !(await hasOtherActiveAdmin(tx.q, id))) {
        throw fail('user.last_admin', {
          detail: `${row.username} is the last active admin and cannot be deleted.`,
        })
      }
      const { note, ...invalidation } = await dependentTokens(deps, tx.q, id, 'end')
      await deleteSessionsOf(tx.q, id)
      await deleteUser(tx.q, id)
      await deps.history.record(tx, ctx, {
        action: 'delete',
        resource: 'user',
        resourceId: id,
        key: row.username,
        summary: `Deleted the user ${row.username}${note}`,
        ...invalidation,
        before: toWire(row),
      })
    },
    { evenWhenFull: true },
  )
  await refreshAccess(deps, id)
  return { ok: true }
}
