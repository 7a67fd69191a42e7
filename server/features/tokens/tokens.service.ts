import type { z } from 'zod'
import type { InputOf } from '../../../contract/endpoint.ts'
import { environments } from '../../../contract/live.ts'
import type {
  ApiToken,
  CreateTokenBody,
  tokens as endpoints,
  UpdateTokenBody,
} from '../../../contract/tokens.ts'
import type { ApiTokenRow } from '../../auth/api-tokens.store.ts'
import { type ApiTokens, newApiToken } from '../../auth/api-tokens.ts'
import type { LiveAccess } from '../../auth/identity.ts'
import { type Standing, standingOf } from '../../auth/token-standing.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text/search.ts'
import { bindingOf, endOf, requireCreatable, requireDecider, type TokenSettings } from './tokens.policy.ts'
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
import { factsOf, toWire } from './tokens.wire.ts'

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

type ListQuery = InputOf<typeof endpoints.list>['query']
type Created = ApiToken & { readonly token: string; readonly notice: string | null }
export type TokensService = {
  list(ctx: Context, query: ListQuery): Promise<ReturnType<typeof toPage<ApiToken, ApiToken>>>
  create(ctx: Context, body: z.output<typeof CreateTokenBody>): Promise<Created>
  /** Makes a token a service token, or binds it to a user. Its role and expiry do not change. */
  update(ctx: Context, id: string, body: z.output<typeof UpdateTokenBody>): Promise<ApiToken>
  /** Revokes at once: the next request is refused, and open connections end. */
  revoke(ctx: Context, id: string): Promise<{ ok: true }>
}

async function required(q: Query, id: string): Promise<ApiTokenRow> {
  const row = await findToken(q, id)
  if (row === undefined) throw fail('not_found', { detail: 'There is no such API token.' })
  return row
}

/** Returns the permissions of the calling API token; null for any other caller. */
async function creatorOf(q: Query, ctx: Context): Promise<Standing | null> {
  const { kind, id } = ctx.actor
  const row = kind === 'api_token' && id !== null ? await findToken(q, id) : undefined
  return row === undefined ? null : standingOf(q, row, ctx.now)
}

export function createTokensService(deps: TokensDeps): TokensService {
  const { db, history, newId, apiTokens, liveAccess } = deps
  const describe = async (q: Query, row: ApiTokenRow, now: Date): Promise<ApiToken> =>
    toWire(row, await standingOf(q, row, now), apiTokens.lastUsedMs(row))

  return {
    async list(ctx, query) {
      const plan = planPage(query, tokenOrder(query.sort ?? '-created_at'))
      const { rows, total } = await listTokens(db.read, query, plan)
      const page = toPage(plan, rows, total, tokenKeys(plan.order.name), (row) => row)
      const data = await Promise.all(page.data.map((row) => describe(db.read, row, ctx.now)))
      return { ...page, data }
    },

    async create(ctx, body) {
      const settings = deps.settings()
      requireCreatable(ctx, body, settings)
      const { token, hash, hint } = newApiToken()
      const { made, notice } = await db.write(async (tx) => {
        if ((await countTokens(tx.q)) >= maxTokens)
          throw fail('request.invalid', {
            detail: `There are ${maxTokens} API tokens already; revoke those that no app uses.`,
          })
        const creator = await creatorOf(tx.q, ctx)
        const { expiresAt, notice } = endOf(ctx, body, settings, creator)
        const workspace = body.workspace ? await deps.findWorkspace(tx.q, body.workspace) : null
        if (workspace === undefined) throw invalid('workspace', 'There is no such workspace')
        const row: ApiTokenRow = {
          id: newId(),
          name: body.name,
          name_folded: fold(body.name),
          role: body.role,
          hash,
          hint,
          workspace_id: workspace?.id ?? null,
          namespaces: body.namespaces
            ? environments.filter((one) => body.namespaces?.includes(one)).join(',')
            : null,
          expires_at: expiresAt,
          last_used_at: null,
          created_by: ctx.actor.name,
          created_by_id: ctx.actor.id,
          ...bindingOf(ctx, body, creator),
          created_at: ctx.now.getTime(),
        }
        await insertToken(tx.q, row)
        const made = await describe(tx.q, row, ctx.now)
        await history.record(tx, ctx, {
          action: 'create',
          resource: 'token',
          resourceId: row.id,
          key: row.name,
          workspaceId: row.workspace_id,
          summary: `Created the ${row.binding === 'service' ? 'service' : 'API'} token ${row.name} as ${row.role}`,
          after: factsOf(made),
        })
        return { made, notice }
      })
      return { ...made, token, notice }
    },

    async update(ctx, id, body) {
      requireDecider(ctx)
      const token = await db.write(async (tx) => {
        const row = await required(tx.q, id)
        const user = body.binding === 'owner' ? await ownerNamed(tx.q, body.owner) : null
        const change = {
          binding: body.binding,
          owner_kind: user === null ? null : ('user' as const),
          owner_id: user?.id ?? null,
        }
        const before = await describe(tx.q, row, ctx.now)
        const isSame = row.binding === change.binding && row.owner_id === change.owner_id
        if (isSame) return before
        await setBinding(tx.q, id, change)
        const after = await describe(tx.q, { ...row, ...change }, ctx.now)
        await history.record(tx, ctx, {
          action: 'update',
          resource: 'token',
          resourceId: id,
          key: row.name,
          workspaceId: row.workspace_id,
          summary:
            user === null
              ? `Kept the API token ${row.name} as a service token`
              : `Tied the API token ${row.name} to ${user.username}`,
          before: factsOf(before),
          after: factsOf(after),
        })
        return after
      })
      liveAccess.recheck({ tokenId: id })
      return token
    },

    async revoke(ctx, id) {
      await db.write(
        async (tx) => {
          const row = await required(tx.q, id)
          await deleteToken(tx.q, id)
          await history.record(tx, ctx, {
            action: 'revoke',
            resource: 'token',
            resourceId: id,
            key: row.name,
            workspaceId: row.workspace_id,
            summary: `Revoked the API token ${row.name}`,
            before: factsOf(await describe(tx.q, row, ctx.now)),
          })
        },
        { evenWhenFull: true },
      )
      liveAccess.recheck({ tokenId: id })
      return { ok: true }
    },
  }
}

async function ownerNamed(q: Query, idOrName: string | null | undefined) {
  if (!idOrName) throw invalid('owner', 'Name the user that the token is to follow')
  const user = await findOwner(q, idOrName)
  if (user === undefined) throw invalid('owner', 'There is no such user')
  if (user.disabled === 1) throw invalid('owner', 'This user is disabled: the token would be refused')
  return user
}
