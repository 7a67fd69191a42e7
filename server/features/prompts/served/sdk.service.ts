import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Environment, environments } from '../../../../contract/common/environments.ts'
import { defaultWorkspaceId } from '../../../../contract/system/workspaces.ts'
import { requireNamespace, workspaceRefusal } from '../../../auth/tokens/token-limits.ts'
import type { Db, Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { Context } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import { type PagePlan, planPage, writeCursor } from '../../../lib/paging.ts'
import { requireInScope } from '../../../lib/scope.ts'
import { labelOf } from '../../../resources/versions.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'
import { resolve } from '../state/resolve.ts'
import {
  contentOf,
  countServed,
  readServed,
  type ServedRow,
  type ServedVersion,
  servedOrder,
  servedVersion,
} from './sdk.read.ts'

type Place = { readonly env: string; readonly workspace: string }

/**
 * Returns the ETag of a served version. Versions are immutable, so the prompt's id and the number identify
 * the content; with includes, also the hash of the resolved text.
 */
const etagOf = (row: ResolvedRow): string =>
  row.hash === null
    ? `"${row.id}-${labelOf(row.version)}"`
    : `"${row.id}-${labelOf(row.version)}-${row.hash.slice(0, etagDigits)}"`

/** Hexadecimal digits of the hash in an ETag. */
const etagDigits = 16

/** A served prompt with its includes replaced. `hash`: of the resolved body; null without includes. */
type ResolvedRow = ServedRow & { readonly hash: string | null }

async function resolved(q: Query, workspaceId: string, row: ServedRow): Promise<ResolvedRow> {
  if (row.has_includes === 0) return { ...row, hash: null }
  const { key, env } = row
  const { body } = await resolve(q, { workspaceId, key, env }, row)
  return {
    ...row,
    ...body,
    hash: hash('sha256', `${body.messages ?? body.content} ${body.variables}`, 'hex'),
  }
}

/**
 * Returns the reply as JSON, concatenated from parts that are stored as JSON: this route is called most
 * often.
 */
function jsonOf(row: ResolvedRow): string {
  const { key, version, env, model, content, variables, messages, params } = row
  const type = messages === null ? 'text' : 'chat'
  return `{"key":${JSON.stringify(key)},"version":"${labelOf(version)}","env":"${env}","model":${JSON.stringify(model)},"content":${JSON.stringify(content)},"variables":${variables},"type":"${type}","messages":${messages ?? 'null'},"params":${params ?? '{}'},"etag":${JSON.stringify(etagOf(row))}}`
}

/** The reply with a served prompt. */
type Served = { readonly etag: string; readonly json: string }

/** Maximum size of the replies in memory, in UTF-16 code units. */
const maxCacheSize = 4 * 1024 * 1024

/**
 * Caches the replies with versions that have no includes. A version never changes, so its reply is that of every later
 * request for it; only which version is served must be read again. Returns null if the prompt was purged meanwhile.
 */
function createReplies(q: Query) {
  const cache = new LRUCache<string, Served>({
    maxSize: maxCacheSize,
    sizeCalculation: ({ json }) => json.length,
  })
  return async (workspaceId: string, served: ServedVersion): Promise<Served | null> => {
    const name = JSON.stringify([served.id, served.version, served.key, served.env])
    const known = cache.get(name)
    if (known !== undefined) return known
    const row = await contentOf(q, served)
    if (row === undefined) return null
    const content = await resolved(q, workspaceId, row)
    const reply = { etag: etagOf(content), json: jsonOf(content) }
    if (content.hash === null) cache.set(name, reply)
    return reply
  }
}

/** Size at which a page of prompts ends, in UTF-16 code units. With its includes, a prompt can have 1 MiB. */
const maxPageSize = 4 * 1024 * 1024

/** Returns the prompts of a page as JSON and their ETags. The page ends at its limit, or earlier at its maximum size. */
async function collectPage(q: Query, place: { workspaceId: string; env: Environment }, plan: PagePlan) {
  const data: string[] = []
  const tags: string[] = []
  let size = 0
  let last: ServedRow | null = null
  // A page can have many includes.
  const yieldIfDue = createYield()
  for await (const row of readServed(q, place, plan)) {
    if (last !== null && (data.length === plan.limit || size >= maxPageSize))
      return { data, tags, next: writeCursor(plan, [last.key]) }
    const prompt = await resolved(q, place.workspaceId, row)
    const json = jsonOf(prompt)
    data.push(json)
    tags.push(etagOf(prompt))
    size += json.length
    last = row
    await yieldIfDue()
  }
  return { data, tags, next: null }
}

export type SdkService = ReturnType<typeof createSdkService>

/** The service for apps. It never reads drafts. */
export function createSdkService({ db }: { readonly db: Db }) {
  const replyWith = createReplies(db.read)
  const workspaceIdOf = async (idOrSlug: string): Promise<string | null> =>
    idOrSlug === defaultWorkspaceId ? idOrSlug : ((await findWorkspace(db.read, idOrSlug))?.id ?? null)

  /** Throws 404 for an unknown environment. */
  const placeFor = async (ctx: Context, env: string, workspace: string) => {
    const environment = environments.find((name) => name === env)
    if (environment === undefined) {
      const all = environments.join(', ')
      throw fail('not_found', { detail: `Environment ${env} not found; use one of ${all}.` })
    }
    requireNamespace(ctx, environment)
    const workspaceId = await workspaceIdOf(workspace)
    // Check the token first, also for an unknown workspace, so that a limited token cannot find out which
    // workspaces exist.
    const refusal = workspaceRefusal(ctx, workspaceId ?? '')
    if (refusal !== null) throw refusal
    if (workspaceId === null) throw fail('not_found', { detail: 'Workspace not found.' })
    requireInScope(ctx.scope, workspaceId, 'Workspace not found.')
    return { workspaceId, env: environment }
  }

  return {
    async prompt(ctx: Context, key: string, { env, workspace }: Place) {
      const place = await placeFor(ctx, env, workspace)
      const served = await servedVersion(db.read, { ...place, key })
      const reply = served && (await replyWith(place.workspaceId, served))
      if (!reply) throw fail('not_found', { detail: `No version of ${key} is served in ${env}.` })
      return reply
    },

    async prompts(
      ctx: Context,
      query: Place & { readonly limit: number; readonly cursor?: string | undefined },
    ) {
      const { env, workspace } = query
      const plan = planPage(query, servedOrder('key'))
      const place = await placeFor(ctx, env, workspace)
      const { total } = await countServed(db.read, place)
      const { data, tags, next } = await collectPage(db.read, place, plan)
      const json = `{"data":[${data.join(',')}],"total":${total},"next_cursor":${JSON.stringify(next)}}`
      return { etag: `"${hash('sha256', tags.join() + String(next), 'base64url')}"`, json }
    },
  }
}
