import type { z } from 'zod'
import type {
  ApiToken,
  CreateTokenBody,
  tokens as endpoints,
  UpdateTokenBody,
} from '../../../contract/accounts/tokens.ts'
import type { InputOf } from '../../../contract/common/endpoint.ts'
import { environments } from '../../../contract/live/frames.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import type { ApiTokenRow } from '../../auth/tokens/api-tokens.store.ts'
import { type ApiTokens, newApiToken } from '../../auth/tokens/api-tokens.ts'
import { rightsOf, type TokenRights } from '../../auth/tokens/token-rights.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text/search.ts'
import {
  type AccountRights,
  accessSummary,
  membershipsOf,
  planAccess,
  storeMemberships,
} from '../../resources/memberships.ts'
import { bindingOf, expiryOf, rejectApiToken, requireMayCreate, type TokenSettings } from './tokens.policy.ts'
import {
  countTokens,
  deleteToken,
  findOwner,
  findToken,
  insertToken,
  listTokens,
  setBinding,
  tokenKeys,
  tokenOrder,
} from './tokens.store.ts'
import { auditFieldsOf, toWire } from './tokens.wire.ts'

export type TokensDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly apiTokens: Pick<ApiTokens, 'lastUsedMs'>
  readonly liveAccess: LiveAccess
  readonly settings: () => TokenSettings
  readonly findWorkspace: (q: Query, idOrSlug: string) => Promise<{ readonly id: string } | undefined>
}

/** Limit far above the needs of a team, so that a script cannot fill the store. */
const maxTokens = 1_000

type CreateBody = z.output<typeof CreateTokenBody>
type UpdateBody = z.output<typeof UpdateTokenBody>
type ListQuery = InputOf<typeof endpoints.list>['query']
type CreatedToken = ApiToken & { readonly token: string; readonly notice: string | null }
export type TokensService = {
  list(ctx: Context, query: ListQuery): Promise<ReturnType<typeof toPage<ApiToken, ApiToken>>>
  create(ctx: Context, body: CreateBody): Promise<CreatedToken>
  /** Binds a token to a user, or to no account. Its role and expiry do not change. */
  update(ctx: Context, id: string, body: UpdateBody): Promise<ApiToken>
  /** Revokes immediately: the next request is rejected, and open connections end. */
  revoke(ctx: Context, id: string): Promise<{ ok: true }>
}

async function required(q: Query, id: string): Promise<ApiTokenRow> {
  const row = await findToken(q, id)
  if (row === undefined) throw fail('not_found', { detail: 'API token not found.' })
  return row
}

/** Returns the token rights of the calling API token; null for any other caller. */
async function creatorOf(q: Query, ctx: Context): Promise<TokenRights | null> {
  const { kind, id } = ctx.actor
  const row = kind === 'api_token' && id !== null ? await findToken(q, id) : undefined
  return row === undefined ? null : rightsOf(q, row, ctx.now)
}

export function createTokensService(deps: TokensDeps): TokensService {
  return {
    list: (ctx, query) => list(deps, ctx, query),
    create: (ctx, body) => create(deps, ctx, body),
    update: (ctx, id, body) => update(deps, ctx, id, body),
    revoke: (ctx, id) => revoke(deps, ctx, id),
  }
}

const describe = async (
  { apiTokens }: TokensDeps,
  q: Query,
  row: ApiTokenRow,
  now: Date,
): Promise<ApiToken> =>
  toWire(
    row,
    (await membershipsOf(q, [row.id]))(row.id),
    await rightsOf(q, row, now),
    apiTokens.lastUsedMs(row),
  )

async function list(deps: TokensDeps, ctx: Context, query: ListQuery) {
  const { db } = deps
  const plan = planPage(query, tokenOrder(query.sort ?? '-created_at'))
  const { rows, total } = await listTokens(db.read, query, plan)
  const page = toPage(plan, rows, total, tokenKeys(plan.order.name), (row) => row)
  const data = await Promise.all(page.data.map((row) => describe(deps, db.read, row, ctx.now)))
  return { ...page, data }
}

async function create(deps: TokensDeps, ctx: Context, body: CreateBody): Promise<CreatedToken> {
  const { db, history } = deps
  const settings = deps.settings()
  requireMayCreate(ctx, body, settings)
  const secret = newApiToken()
  const { token, notice } = await db.write(async (tx) => {
    await requireBelowLimit(tx.q)
    const creator = await creatorOf(tx.q, ctx)
    const { expiresAt, notice } = expiryOf(ctx, body, settings, creator)
    const rights = await planAccess(tx.q, body, null)
    const row = await newRow(deps, tx.q, ctx, { ...body, ...rights }, { ...secret, expiresAt, creator })
    await insertToken(tx.q, row)
    await storeMemberships(tx.q, row.id, rights.memberships)
    const token = await describe(deps, tx.q, row, ctx.now)
    await history.record(tx, ctx, {
      action: 'create',
      resource: 'token',
      resourceId: row.id,
      key: row.name,
      workspaceId: row.workspace_id,
      summary: `Created the API token ${row.name} ${accessSummary(token)}${row.binding === 'service' ? ', without an owner' : ''}`,
      after: auditFieldsOf(token),
    })
    return { token, notice }
  })
  return { ...token, token: secret.token, notice }
}

async function requireBelowLimit(q: Query): Promise<void> {
  if ((await countTokens(q)) >= maxTokens)
    throw fail('request.invalid', {
      detail: `The limit of ${maxTokens} API tokens is reached. Revoke tokens that are not used.`,
    })
}

async function newRow(
  { newId, findWorkspace }: TokensDeps,
  q: Query,
  ctx: Context,
  body: Omit<CreateBody, 'memberships'> & AccountRights,
  {
    hash,
    hint,
    expiresAt,
    creator,
  }: Pick<ApiTokenRow, 'hash' | 'hint'> & {
    readonly expiresAt: number
    readonly creator: TokenRights | null
  },
): Promise<ApiTokenRow> {
  const workspace = body.workspace ? await findWorkspace(q, body.workspace) : null
  if (workspace === undefined) throw invalid('workspace', 'Workspace not found')
  const { namespaces } = body
  return {
    id: newId(),
    name: body.name,
    name_folded: fold(body.name),
    role: body.role,
    access: body.access,
    hash,
    hint,
    workspace_id: workspace?.id ?? null,
    namespaces: namespaces ? environments.filter((env) => namespaces.includes(env)).join(',') : null,
    expires_at: expiresAt,
    last_used_at: null,
    created_by: ctx.actor.name,
    created_by_id: ctx.actor.id,
    ...bindingOf(ctx, body, creator),
    created_at: ctx.now.getTime(),
  }
}

async function update(deps: TokensDeps, ctx: Context, id: string, body: UpdateBody): Promise<ApiToken> {
  const { db, history, liveAccess } = deps
  rejectApiToken(ctx)
  const token = await db.write(async (tx) => {
    const row = await required(tx.q, id)
    const user = body.binding === 'owner' ? await requiredOwner(tx.q, body.owner) : null
    const change = {
      binding: body.binding,
      owner_kind: user === null ? null : ('user' as const),
      owner_id: user?.id ?? null,
    }
    const before = await describe(deps, tx.q, row, ctx.now)
    const isSame = row.binding === change.binding && row.owner_id === change.owner_id
    if (isSame) return before
    await setBinding(tx.q, id, change)
    const after = await describe(deps, tx.q, { ...row, ...change }, ctx.now)
    await history.record(tx, ctx, {
      action: 'update',
      resource: 'token',
      resourceId: id,
      key: row.name,
      workspaceId: row.workspace_id,
      summary:
        user === null
          ? `Removed the owner of the API token ${row.name}`
          : `Set the owner of the API token ${row.name} to ${user.username}`,
      before: auditFieldsOf(before),
      after: auditFieldsOf(after),
    })
    return after
  })
  liveAccess.recheck({ tokenId: id })
  return token
}

async function revoke(deps: TokensDeps, ctx: Context, id: string): Promise<{ ok: true }> {
  const { db, history, liveAccess } = deps
  await db.write(
    async (tx) => {
      const row = await required(tx.q, id)
      const before = auditFieldsOf(await describe(deps, tx.q, row, ctx.now))
      await storeMemberships(tx.q, id, [])
      await deleteToken(tx.q, id)
      await history.record(tx, ctx, {
        action: 'revoke',
        resource: 'token',
        resourceId: id,
        key: row.name,
        workspaceId: row.workspace_id,
        summary: `Revoked the API token ${row.name}`,
        before,
      })
    },
    { evenWhenFull: true },
  )
  liveAccess.recheck({ tokenId: id })
  return { ok: true }
}

async function requiredOwner(q: Query, idOrName: string | null | undefined) {
  if (!idOrName) throw invalid('owner', 'Set the user that owns the token')
  const user = await findOwner(q, idOrName)
  if (user === undefined) throw invalid('owner', 'User not found')
  if (user.disabled === 1) throw invalid('owner', 'This user is disabled, so the token would be rejected')
  return user
}
