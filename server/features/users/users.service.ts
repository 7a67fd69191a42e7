import type { z } from 'zod'
import type {
  CreateUserBody,
  ListUsersQuery,
  UpdateUserBody,
  User,
} from '../../../contract/accounts/users.ts'
import type { DefaultCredentials } from '../../auth/defaults.ts'
import { revokeDesktopsOf } from '../../auth/devices/revoke.ts'
import { endPasswordLinks } from '../../auth/password-links.store.ts'
import { requireStrongPassword } from '../../auth/passwords/password-policy.ts'
import { deleteSessionsOf, deleteSessionsOnDevices } from '../../auth/sessions/sessions.store.ts'
import type { Query, Tx } from '../../db/types.ts'
import type { Share } from '../../lib/async/shared-results.ts'
import type { Context } from '../../lib/context.ts'
import { fail } from '../../lib/fail.ts'
import { type PageReply, planPage, toPage } from '../../lib/paging.ts'
import {
  type AccountRights,
  hasSameWorkspaces,
  membershipsOf,
  planAccess,
  storeMemberships,
} from '../../resources/memberships.ts'
import {
  create,
  insertNewUser,
  type NewUser,
  type NewUserBody,
  type NewUserDeps,
  prepareUser,
} from './new-user.ts'
import { requireFreeUsername, requireUsableUsername } from './usernames.ts'
import {
  actionOf,
  changesOf,
  changesTokens,
  endsSessions,
  summaryOf,
  type UserChanges,
} from './users.changes.ts'
import { describe, requireMayChange, requireUser } from './users.policy.ts'
import { revokeSession, revokeSessions, sessions, type UserSessionsDeps } from './users.sessions.ts'
import {
  deleteUser,
  hasOtherActiveAdmin,
  listUsers,
  toWire,
  type UserRow,
  updateUser,
  userKeys,
  userOrder,
} from './users.store.ts'

export type UsersDeps = UserSessionsDeps &
  NewUserDeps & {
    readonly defaults: DefaultCredentials
    readonly share: Share
    /** Returns the number of API tokens that depend on this user. */
    readonly countTokensOf: (q: Query, userId: string) => Promise<number>
  }

type UpdateBody = z.output<typeof UpdateUserBody>
type ListQuery = z.output<typeof ListUsersQuery>

const isActiveAdmin = (row: UserRow) => row.role === 'admin' && row.disabled === 0

export type UsersService = ReturnType<typeof createUsersService>

/** Manages users and their sessions. */
export function createUsersService(deps: UsersDeps) {
  const { db } = deps
  const pages = deps.share<PageReply<User>>()
  return {
    list: (_ctx: Context, query: ListQuery) =>
      pages.get(JSON.stringify(query), pages.version(), () => list(db.read, query)),
    async get(_ctx: Context, id: string): Promise<User> {
      return describe(db.read, await requireUser(db.read, id))
    },
    create: (ctx: Context, body: z.output<typeof CreateUserBody>) => create(deps, ctx, body),
    /** Checks a new user and hashes the password, without storing anything. */
    prepare: (now: Date, body: NewUserBody) => prepareUser(deps, now, body),
    /** Stores a prepared user in the caller's transaction. */
    insert: (tx: Tx, ctx: Context, user: NewUser) => insertNewUser(deps, tx, ctx, user),
    update: (ctx: Context, id: string, body: UpdateBody) => update(deps, ctx, id, body),
    remove: (ctx: Context, id: string) => remove(deps, ctx, id),
    sessions: (ctx: Context, id: string) => sessions(deps, ctx, id),
    revokeSession: (ctx: Context, id: string, sessionId: string) => revokeSession(deps, ctx, id, sessionId),
    revokeSessions: (ctx: Context, id: string) => revokeSessions(deps, ctx, id),
  }
}

async function list(q: Query, query: ListQuery): Promise<PageReply<User>> {
  const plan = planPage(query, userOrder(query.sort ?? 'username'))
  const { rows, total } = await listUsers(q, query, plan)
  const ofUser = await membershipsOf(
    q,
    rows.map(({ id }) => id),
  )
  return toPage(plan, rows, total, userKeys(plan.order.name), (row) => toWire(row, ofUser(row.id)))
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

/** Changes a user. If nothing differs, there is no audit entry and no new `updated_at`. */
async function update(deps: UsersDeps, ctx: Context, id: string, body: UpdateBody): Promise<User> {
  const { db, passwords } = deps
  const current = await describe(db.read, await requireUser(db.read, id))
  requireMayChange(ctx, current, body, deps.mayTokensCreateAdmins())
  if (body.username !== undefined) requireUsableUsername(body.username)
  if (body.password !== undefined) {
    const username = body.username ?? current.username
    await requireStrongPassword('password', body.password, username, passwords.isCommon)
  }
  const passwordHash = body.password === undefined ? undefined : await passwords.hash(body.password)
  const { user, isChanged } = await db.write(async (tx) => {
    const row = await requireUser(tx.q, id)
    const before = await describe(tx.q, row)
    // Again: the user may have become an admin while the password was hashed.
    requireMayChange(ctx, before, body, deps.mayTokensCreateAdmins())
    const access = await planAccess(tx.q, body, before)
    const changes = changesOf(row, body, access, passwordHash)
    const isSame = hasSameWorkspaces(before, access)
    if (Object.keys(changes).length === 0 && isSame) return { user: before, isChanged: false }
    const change: Change = { row, before, changes, access: isSame ? null : access }
    return { user: await applyChanges(deps, tx, ctx, change), isChanged: true }
  })
  if (isChanged) await deps.defaults.refresh()
  return user
}

type Change = {
  readonly row: UserRow
  readonly before: User
  readonly changes: UserChanges
  /** The access after the change; null if it is the same. */
  readonly access: AccountRights | null
}

/** Stores changes of a user and ends the sessions that they revoke. Returns the user after it. */
async function applyChanges(
  deps: UsersDeps,
  tx: Tx,
  ctx: Context,
  { row: before, before: userBefore, changes, access }: Change,
): Promise<User> {
  const { id } = before
  if (changes.username !== undefined) await requireFreeUsername(tx.q, changes.username, id)
  const after: UserRow = { ...before, ...changes, updated_at: ctx.now.getTime() }
  if (isActiveAdmin(before) && !isActiveAdmin(after) && !(await hasOtherActiveAdmin(tx.q, id))) {
    throw fail('user.last_admin', {
      detail: `${before.username} is the last active admin and can be neither demoted nor disabled.`,
    })
  }
  // First after the commit, so that no later frame reaches a connection that lost its access.
  tx.afterCommit(() => deps.liveAccess.recheck({ userId: id }))
  await updateUser(tx.q, id, { ...changes, updated_at: after.updated_at })
  if (access !== null) await storeMemberships(tx.q, id, access.memberships)
  if (endsSessions(changes)) await deleteSessionsOf(tx.q, id)
  if (changes.password_hash !== undefined) await revokeDesktopsOf(deps, tx, ctx, id)
  const isAccessChanged = changesTokens(changes) || access !== null
  const { note, ...invalidation } = isAccessChanged
    ? await dependentTokens(deps, tx.q, id, 'change')
    : noDependents
  const user = toWire(after, access?.memberships ?? userBefore.memberships)
  if (isAccessChanged || changes.password_hash !== undefined) await endPasswordLinks(tx.q, id)
  await deps.history.record(tx, ctx, {
    action: actionOf(changes, access !== null),
    resource: 'user',
    resourceId: id,
    key: after.username,
    summary: `${summaryOf(before, changes, access)}${note}`,
    ...invalidation,
    before: userBefore,
    after: user,
  })
  return user
}

async function remove(deps: UsersDeps, ctx: Context, id: string): Promise<{ ok: true }> {
  const others = await deps.db.write(
    async (tx) => {
      const row = await requireUser(tx.q, id)
      if (isActiveAdmin(row) && !(await hasOtherActiveAdmin(tx.q, id))) {
        throw fail('user.last_admin', {
          detail: `${row.username} is the last active admin and cannot be deleted.`,
        })
      }
      const { note, ...invalidation } = await dependentTokens(deps, tx.q, id, 'end')
      await deleteSessionsOf(tx.q, id)
      const userIds = await deleteSessionsOnDevices(tx.q, 'user_id', id)
      const before = await describe(tx.q, row)
      await storeMemberships(tx.q, id, [])
      await deleteUser(tx.q, id)
      await deps.history.record(tx, ctx, {
        action: 'delete',
        resource: 'user',
        resourceId: id,
        key: row.username,
        summary: `Deleted the user ${row.username}${note}`,
        ...invalidation,
        before,
      })
      return userIds
    },
    { evenWhenFull: true },
  )
  for (const userId of others) deps.liveAccess.recheck({ userId })
  await refreshAccess(deps, id)
  return { ok: true }
}
