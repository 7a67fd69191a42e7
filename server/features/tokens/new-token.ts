import type { z } from 'zod'
import type { ApiToken, CreateTokenBody } from '../../../contract/accounts/tokens.ts'
import { environments } from '../../../contract/common/environments.ts'
import type { LiveAccess } from '../../auth/identity/identity.ts'
import type { ApiTokenRow } from '../../auth/tokens/api-tokens.store.ts'
import { type ApiTokens, newApiToken } from '../../auth/tokens/api-tokens.ts'
import { rightsOf, type TokenRights } from '../../auth/tokens/token-rights.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { fold } from '../../lib/text/search.ts'
import { budgetText } from '../../resources/budgets/budget-text.ts'
import {
  type AccountRights,
  accessSummary,
  membershipsOf,
  planAccess,
  storeMemberships,
} from '../../resources/memberships.ts'
import { bindingOf, expiryOf, gatewayOf, requireMayCreate, type TokenSettings } from './tokens.policy.ts'
import { countTokens, findToken, insertToken } from './tokens.store.ts'
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

export type NewTokenBody = z.output<typeof CreateTokenBody>
export type CreatedToken = ApiToken & { readonly token: string; readonly notice: string | null }

/** Creates a token. Its secret is only in the result. */
export async function createToken(
  deps: TokensDeps,
  tx: Tx,
  ctx: Context,
  body: NewTokenBody,
): Promise<CreatedToken> {
  const settings = deps.settings()
  requireMayCreate(ctx, body, settings)
  await requireBelowLimit(tx.q)
  const secret = newApiToken()
  const creator = await creatorOf(tx.q, ctx)
  const { expiresAt, notice } = expiryOf(ctx, body, settings, creator)
  const rights = await planAccess(tx.q, body, null)
  const row = await newRow(deps, tx.q, ctx, { ...body, ...rights }, { ...secret, expiresAt, creator })
  await insertToken(tx.q, row)
  await storeMemberships(tx.q, row.id, rights.memberships)
  const token = await describe(deps, tx.q, row, ctx.now)
  await deps.history.record(tx, ctx, {
    action: 'create',
    resource: 'token',
    resourceId: row.id,
    key: row.name,
    workspaceId: row.workspace_id,
    summary: `Created the API token ${row.name} ${accessSummary(token)}${row.binding === 'service' ? ', without an owner' : ''}`,
    after: auditFieldsOf(token),
  })
  return { ...token, token: secret.token, notice }
}

/** Returns the token rights of the calling API token; null for any other caller. */
async function creatorOf(q: Query, ctx: Context): Promise<TokenRights | null> {
  const { kind, id } = ctx.actor
  const row = kind === 'api_token' && id !== null ? await findToken(q, id) : undefined
  return row === undefined ? null : rightsOf(q, row, ctx.now)
}

export const describe = async (
  { apiTokens }: Pick<TokensDeps, 'apiTokens'>,
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
  body: Omit<NewTokenBody, 'memberships'> & AccountRights,
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
    gateway: gatewayOf(body),
    budget: budgetText(body.budget),
    cache_seconds: body.cache_seconds ?? null,
    expires_at: expiresAt,
    last_used_at: null,
    created_by: ctx.actor.name,
    created_by_id: ctx.actor.id,
    ...bindingOf(ctx, body, creator),
    created_at: ctx.now.getTime(),
  }
}
