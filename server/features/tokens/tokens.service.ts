import type { z } from 'zod'
import type {
  ApiToken,
  CreateTokenBody,
  tokens as endpoints,
  UpdateTokenBody,
} from '../../../contract/accounts/tokens.ts'
import type { InputOf } from '../../../contract/common/endpoint.ts'
import type { ApiTokenRow } from '../../auth/tokens/api-tokens.store.ts'
import type { Query, Tx } from '../../db/types.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { budgetText } from '../../resources/budgets/budget-text.ts'
import { storeMemberships } from '../../resources/memberships.ts'
import { type CreatedToken, createToken, describe, type NewTokenBody, type TokensDeps } from './new-token.ts'
import { gatewayOf, rejectApiToken } from './tokens.policy.ts'
import {
  changeToken,
  deleteToken,
  findOwner,
  findToken,
  listTokens,
  type TokenChange,
  tokenKeys,
  tokenOrder,
} from './tokens.store.ts'
import { auditFieldsOf } from './tokens.wire.ts'

type CreateBody = z.output<typeof CreateTokenBody>
type UpdateBody = z.output<typeof UpdateTokenBody>
type ListQuery = InputOf<typeof endpoints.list>['query']
export type TokensService = {
  list(ctx: Context, query: ListQuery): Promise<ReturnType<typeof toPage<ApiToken, ApiToken>>>
  create(ctx: Context, body: CreateBody): Promise<CreatedToken>
  /** Creates a token in the caller's transaction. */
  createIn(tx: Tx, ctx: Context, body: NewTokenBody): Promise<CreatedToken>
  /** Sets the owner of a token, or its use of the gateway. Its role and expiry do not change. */
  update(ctx: Context, id: string, body: UpdateBody): Promise<ApiToken>
  /** Revokes immediately: the next request is rejected, and open connections end. */
  revoke(ctx: Context, id: string): Promise<{ ok: true }>
}

async function required(q: Query, id: string): Promise<ApiTokenRow> {
  const row = await findToken(q, id)
  if (row === undefined) throw fail('not_found', { detail: 'API token not found.' })
  return row
}

export function createTokensService(deps: TokensDeps): TokensService {
  return {
    list: (ctx, query) => list(deps, ctx, query),
    create: (ctx, body) => deps.db.write((tx) => createToken(deps, tx, ctx, body)),
    createIn: (tx, ctx, body) => createToken(deps, tx, ctx, body),
    update: (ctx, id, body) => update(deps, ctx, id, body),
    revoke: (ctx, id) => revoke(deps, ctx, id),
  }
}

async function list(deps: TokensDeps, ctx: Context, query: ListQuery) {
  const { db } = deps
  const plan = planPage(query, tokenOrder(query.sort ?? '-created_at'))
  const { rows, total } = await listTokens(db.read, query, plan)
  const page = toPage(plan, rows, total, tokenKeys(plan.order.name), (row) => row)
  const data = await Promise.all(page.data.map((row) => describe(deps, db.read, row, ctx.now)))
  return { ...page, data }
}

async function update(deps: TokensDeps, ctx: Context, id: string, body: UpdateBody): Promise<ApiToken> {
  const { db, history, liveAccess } = deps
  rejectApiToken(ctx)
  const token = await db.write(async (tx) => {
    const row = await required(tx.q, id)
    const { change, summaries } = await planChange(tx.q, row, body)
    const before = await describe(deps, tx.q, row, ctx.now)
    if (summaries.length === 0) return before
    await changeToken(tx.q, id, change)
    const after = await describe(deps, tx.q, { ...row, ...change }, ctx.now)
    await history.record(tx, ctx, {
      action: 'update',
      resource: 'token',
      resourceId: id,
      key: row.name,
      workspaceId: row.workspace_id,
      summary: summaries.join('; '),
      before: auditFieldsOf(before),
      after: auditFieldsOf(after),
    })
    return after
  })
  liveAccess.recheck({ tokenId: id })
  return token
}

/** Returns the new values of a token, and a sentence for each change; none if nothing differs. */
async function planChange(
  q: Query,
  row: ApiTokenRow,
  body: UpdateBody,
): Promise<{ readonly change: TokenChange; readonly summaries: readonly string[] }> {
  const { binding, owner_kind, owner_id } = row
  const gateway = gatewayOf({
    gateway: body.gateway ?? row.gateway !== null,
    // Without the gateway there is no key to pass on.
    pass_through_key: body.pass_through_key ?? (body.gateway !== false && row.gateway === 'own_key'),
  })
  const budget = body.budget === undefined ? row.budget : budgetText(body.budget)
  const cache_seconds = body.cache_seconds === undefined ? row.cache_seconds : body.cache_seconds
  const summaries = gatewayChanges(row, { gateway, budget, cache_seconds })
  if (body.binding === undefined)
    return { change: { binding, owner_kind, owner_id, gateway, budget, cache_seconds }, summaries }
  const user = body.binding === 'owner' ? await requiredOwner(q, body.owner) : null
  const owner = {
    binding: body.binding,
    owner_kind: user === null ? null : ('user' as const),
    owner_id: user?.id ?? null,
  }
  if (owner.binding !== binding || owner.owner_id !== owner_id)
    summaries.unshift(
      user === null
        ? `Removed the owner of the API token ${row.name}`
        : `Set the owner of the API token ${row.name} to ${user.username}`,
    )
  return { change: { ...owner, gateway, budget, cache_seconds }, summaries }
}

/** Returns a sentence for each change of the use of the gateway. */
function gatewayChanges(
  row: ApiTokenRow,
  { gateway, budget, cache_seconds: seconds }: Pick<TokenChange, 'gateway' | 'budget' | 'cache_seconds'>,
): string[] {
  const changes: string[] = []
  if (gateway !== row.gateway)
    changes.push(`${gatewaySummaries[gateway ?? 'off']} of the API token ${row.name}`)
  if (budget !== row.budget)
    changes.push(`${budget === null ? 'Removed' : 'Set'} the budget of the API token ${row.name}`)
  if (seconds !== row.cache_seconds)
    changes.push(
      seconds === null
        ? `Turned off the response cache of the API token ${row.name}`
        : `Set the response cache of the API token ${row.name} to ${seconds} s`,
    )
  return changes
}

const gatewaySummaries = {
  off: 'Ended the use of the gateway',
  provider_key: 'Allowed the use of the gateway',
  own_key: 'Allowed the use of the gateway with the keys of callers',
} as const

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
