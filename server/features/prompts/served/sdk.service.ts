import { createHash } from 'node:crypto'
import { environments } from '../../../../contract/live/frames.ts'
import { defaultWorkspaceId } from '../../../../contract/system/workspaces.ts'
import { requireNamespace, workspaceRefusal } from '../../../auth/tokens/token-limits.ts'
import type { Db } from '../../../db/types.ts'
import type { Context } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import { planPage, toPage } from '../../../lib/paging.ts'
import { labelOf } from '../../../resources/versions.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'
import { listServed, type ServedRow, servedAt, servedOrder } from './sdk.read.ts'

type Place = { readonly env: string; readonly workspace: string }

/**
 * Returns the ETag of a served version. Versions are immutable, so the prompt's id and the number identify
 * the content.
 */
const etagOf = (row: ServedRow): string => `"${row.id}-${labelOf(row.version)}"`

/**
 * Returns the reply as JSON, concatenated from parts that are stored as JSON: this route is called most
 * often.
 */
function jsonOf(row: ServedRow): string {
  const { key, version, env, model, content, variables, messages, params } = row
  const type = messages === null ? 'text' : 'chat'
  return `{"key":${JSON.stringify(key)},"version":"${labelOf(version)}","env":"${env}","model":${JSON.stringify(model)},"content":${JSON.stringify(content)},"variables":${variables},"type":"${type}","messages":${messages ?? 'null'},"params":${params ?? '{}'},"etag":${JSON.stringify(etagOf(row))}}`
}

export type SdkService = ReturnType<typeof createSdkService>

/** The service for apps. It never reads drafts. */
export function createSdkService({ db }: { readonly db: Db }) {
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
    return { workspaceId, env: environment }
  }

  return {
    async prompt(ctx: Context, key: string, { env, workspace }: Place) {
      const place = await placeFor(ctx, env, workspace)
      const row = await servedAt(db.read, { ...place, key })
      if (row === undefined) throw fail('not_found', { detail: `No version of ${key} is served in ${env}.` })
      return { etag: etagOf(row), json: jsonOf(row) }
    },

    async prompts(
      ctx: Context,
      query: Place & { readonly limit: number; readonly cursor?: string | undefined },
    ) {
      const { env, workspace } = query
      const plan = planPage(query, servedOrder('key'))
      const { rows, total } = await listServed(db.read, await placeFor(ctx, env, workspace), plan)
      const page = toPage(
        plan,
        rows,
        total,
        (row) => [row.key],
        (row) => row,
      )
      const json = `{"data":[${page.data.map(jsonOf).join(',')}],"total":${page.total},"next_cursor":${JSON.stringify(page.next_cursor)}}`
      const tags = page.data.map(etagOf).join() + String(page.next_cursor)
      return { etag: `"${createHash('sha256').update(tags).digest('base64url')}"`, json }
    },
  }
}
