import type { InputOf, ReplyOf } from '../../../../contract/common/endpoint.ts'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import {
  type sessions as endpoints,
  maxSessionBytes,
  type RunSession,
} from '../../../../contract/runs/sessions.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { RunSessionsTable } from '../../../db/schema/runs.ts'
import type { Db } from '../../../db/types.ts'
import type { Context, Scope } from '../../../lib/context.ts'
import { fail } from '../../../lib/fail.ts'
import { type PageReply, planPage, toPage } from '../../../lib/paging.ts'
import type { Payloads } from '../payloads/payload-files.ts'
import { type Filters, readFilter } from '../store/filters.ts'
import type { NameDictionary } from '../store/names.store.ts'
import {
  describeSession,
  findSession,
  listSessions,
  sessionKeys,
  sessionOrder,
  sessionRunOrder,
  sessionRuns,
} from '../store/sessions.store.ts'
import { readDetail } from './detail.read.ts'

type ListQuery = InputOf<typeof endpoints.list>['query']
type GetQuery = InputOf<typeof endpoints.get>['query']

/** Reads the sessions of the run log: the runs of a workspace with the same `session_id`. */
export type SessionReader = {
  list(ctx: Context, query: ListQuery): Promise<PageReply<RunSession>>
  /** Throws 404 if no visible run has this session id. */
  get(ctx: Context, id: string, query: GetQuery): Promise<ReplyOf<typeof endpoints.get>>
}

type Deps = { readonly db: Db; readonly names: NameDictionary; readonly payloads: Payloads }

export const createSessionReader = (deps: Deps): SessionReader => ({
  list: (ctx, query) => list(deps, ctx.scope, query),
  get: (ctx, id, query) => get(deps, ctx.scope, id, query),
})

/** Returns the filters as ids; null if nothing can match. */
async function filterOf({ db, names }: Deps, scope: Scope, filters: Filters) {
  const filter = await readFilter(db.read, names, scope, filters)
  if (filter === null) return null
  const { workspace: workspaces, end_user: endUsers } = filter.columns
  return { workspaces, endUsers, from: filter.from, to: filter.to }
}

async function list(deps: Deps, scope: Scope, query: ListQuery): Promise<PageReply<RunSession>> {
  const { workspace, end_user, from, to } = query
  const plan = planPage(query, sessionOrder(query.sort ?? '-last_run_at'))
  const filter = await filterOf(deps, scope, { workspace, end_user, from, to })
  if (filter === null) return { data: [], total: 0, next_cursor: null }
  const { rows, total } = await listSessions(deps.db.read, filter, plan)
  const page = toPage(plan, rows, total, sessionKeys, (row) => row)
  const data: RunSession[] = []
  for (const row of page.data) data.push(await toWire(deps, row))
  return { ...page, data }
}

async function toWire({ db, names }: Deps, row: RunSessionsTable): Promise<RunSession> {
  const runs = await describeSession(db.read, row)
  const apps = [...new Set(runs.flatMap(({ app }) => app ?? []))]
  const endUser = runs.find(({ end_user: id }) => id !== null)?.end_user ?? null
  // The sum is also 0 if no count is known.
  const hasTokens = row.total_tokens > 0 || runs.some(({ total_tokens: tokens }) => tokens !== null)
  const ids = [row.workspace, ...apps, ...(endUser === null ? [] : [endUser])]
  const nameOf = await names.loadTexts(db.read, ids)
  return {
    id: row.session_id,
    workspace_id: nameOf(row.workspace) ?? '',
    run_count: row.runs,
    error_count: row.errors,
    first_run_at: new Date(row.first_at).toISOString(),
    last_run_at: new Date(row.last_at).toISOString(),
    apps: apps.flatMap((id) => nameOf(id) ?? []).sort(),
    end_user: nameOf(endUser),
    total_tokens: hasTokens ? row.total_tokens : null,
    cost_usd: row.priced === 0 ? null : row.cost_nano / 1e9,
  }
}

async function get(
  deps: Deps,
  scope: Scope,
  id: string,
  query: GetQuery,
): Promise<ReplyOf<typeof endpoints.get>> {
  const { limit, cursor, workspace } = query
  const filter = await filterOf(deps, scope, { workspace: workspace === undefined ? undefined : [workspace] })
  const session = filter && (await findSession(deps.db.read, id, filter.workspaces))
  if (!session) throw fail('not_found', { detail: 'Session not found.' })
  const plan = planPage({ limit, cursor, id, workspace }, sessionRunOrder)
  const rows = await sessionRuns(deps.db.read, session, plan)
  const total = { total: session.runs, isCapped: false }
  const page = toPage(
    { ...plan, limit: fittingCount(rows, limit) },
    rows,
    total,
    (row) => [row.created_at, row.id],
    (row) => row,
  )
  const runs: RunDetail[] = []
  for (const row of page.data) runs.push(await readDetail(deps, row))
  return { data: { ...(await toWire(deps, session)), runs }, next_cursor: page.next_cursor }
}

/** Returns how many of the first `limit` runs fit into a reply by their content; at least one. */
function fittingCount(rows: readonly RunsTable[], limit: number): number {
  let bytes = 0
  const tooLarge = rows.slice(0, limit).findIndex((row, index) => {
    bytes += row.payload_length ?? 0
    return index > 0 && bytes > maxSessionBytes
  })
  return tooLarge === -1 ? limit : tooLarge
}
