import type { z } from 'zod'
import type { InputOf } from '../../../contract/endpoint.ts'
import { environments } from '../../../contract/live.ts'
import type { ApiToken, CreateTokenBody, tokens as endpoints } from '../../../contract/tokens.ts'
import type { ApiTokenRow } from '../../auth/api-tokens.store.ts'
import { type ApiTokens, namespacesOf, newApiToken } from '../../auth/api-tokens.ts'
import type { LiveAccess } from '../../auth/identity.ts'
import type { Db, Query } from '../../db/types.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import { fail, invalid } from '../../lib/fail.ts'
import type { NewId } from '../../lib/ids.ts'
import { planPage, toPage } from '../../lib/paging.ts'
import { fold } from '../../lib/text.ts'
import {
  countTokens,
  deleteToken,
  findToken,
  insertToken,
  listTokens,
  tokenKeys,
  tokenOrder,
} from './tokens.store.ts'

export type TokensDeps = {
  readonly db: Db
  readonly history: History
  readonly newId: NewId
  readonly apiTokens: Pick<ApiTokens, 'lastUsedMs'>
  readonly liveAccess: LiveAccess
  readonly findWorkspace: (q: Query, idOrSlug: string) => Promise<{ readonly id: string } | undefined>
}

/** More are no team's apps, and a script could fill the store. */
const maxTokens = 1_000

type ListQuery = InputOf<typeof endpoints.list>['query']
export type TokensService = ReturnType<typeof createTokensService>

export function createTokensService(deps: TokensDeps) {
  const { db, history, newId, apiTokens, liveAccess, findWorkspace } = deps

  const toWire = (row: ApiTokenRow): ApiToken => {
    const lastUsed = apiTokens.lastUsedMs(row)
    const namespaces = namespacesOf(row)
    return {
      id: row.id,
      name: row.name,
      role: row.role,
      hint: row.hint,
      workspace: row.workspace_id,
      namespaces: namespaces === null ? null : [...namespaces],
      expires_at: row.expires_at === null ? null : new Date(row.expires_at).toISOString(),
      last_used_at: lastUsed === null ? null : new Date(lastUsed).toISOString(),
      created_by: row.created_by,
      created_at: new Date(row.created_at).toISOString(),
    }
  }
  /** What the audit log keeps: neither the secret nor what changes by use. */
  const factsOf = (row: ApiTokenRow) => {
    const { id: _, last_used_at: __, ...facts } = toWire(row)
    return facts
  }

  return {
    async list(_ctx: Context, query: ListQuery) {
      const plan = planPage(query, tokenOrder(query.sort ?? '-created_at'))
      const { rows, total } = await listTokens(db.read, query.q, plan)
      return toPage(plan, rows, total, tokenKeys(plan.order.name), toWire)
    },

    async create(
      ctx: Context,
      body: z.output<typeof CreateTokenBody>,
    ): Promise<ApiToken & { token: string }> {
      const nowMs = ctx.now.getTime()
      const expiresAt = body.expires_at ? Date.parse(body.expires_at) : null
      if (expiresAt !== null && expiresAt <= nowMs) throw invalid('expires_at', 'Already past')
      const { token, hash, hint } = newApiToken()
      const row = await db.write(async (tx) => {
        if ((await countTokens(tx.q)) >= maxTokens)
          throw fail('request.invalid', {
            detail: `There are ${maxTokens} API tokens already; revoke those that no app uses.`,
          })
        const workspace = body.workspace ? await findWorkspace(tx.q, body.workspace) : null
        if (workspace === undefined) throw invalid('workspace', 'There is no such workspace')
        const made: ApiTokenRow = {
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
          created_at: nowMs,
        }
        await insertToken(tx.q, made)
        await history.record(tx, ctx, {
          action: 'create',
          resource: 'token',
          resourceId: made.id,
          key: made.name,
          workspaceId: made.workspace_id,
          summary: `Made the API token ${made.name} as ${made.role}`,
          after: factsOf(made),
        })
        return made
      })
      return { ...toWire(row), token }
    },

    /** At once: the next request is refused, open sockets end. */
    async revoke(ctx: Context, id: string): Promise<{ ok: true }> {
      await db.write(
        async (tx) => {
          const row = await findToken(tx.q, id)
          if (row === undefined) throw fail('not_found', { detail: 'There is no such API token.' })
          await deleteToken(tx.q, id)
          await history.record(tx, ctx, {
            action: 'revoke',
            resource: 'token',
            resourceId: id,
            key: row.name,
            workspaceId: row.workspace_id,
            summary: `Revoked the API token ${row.name}`,
            before: factsOf(row),
          })
        },
        { evenWhenFull: true },
      )
      liveAccess.recheck({ tokenId: id })
      return { ok: true }
    },
  }
}
