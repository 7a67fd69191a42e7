import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { Run, ListedRun as WireRun } from '../../../../contract/runs/run.ts'
import type { RunSort, RunSortField } from '../../../../contract/runs/run-filters.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import type { Query } from '../../../db/types.ts'
import type { Scope } from '../../../lib/context.ts'
import { dayMs } from '../../../lib/durations.ts'
import { invalid } from '../../../lib/fail.ts'
import {
  numberKey,
  orders,
  type PagePlan,
  type PageReply,
  planPage,
  type SortKey,
  type Total,
  toPage,
  totalCap,
} from '../../../lib/paging.ts'
import { findVisibleWorkspace } from '../../../resources/required-workspace.ts'
import { parseContentQuery } from '../content/content-query.ts'
import { captureMode } from '../payloads/capture.ts'
import {
  isCountedByRollups,
  isUnfiltered,
  isWholeScope,
  type RunFilter,
  readFilter,
} from '../store/filters.ts'
import { type ListedRun, runStore } from '../store/runs.store.ts'
import { type ContentOptions, type ContentPage, readContentPage } from './content.read.ts'
import { countMatches, readKeys } from './matches.read.ts'
import { type ReaderDeps, toWire } from './reader-deps.ts'
import { type Figure, figureColumns, readRanked } from './sorted.read.ts'

export type ListQuery = InputOf<typeof endpoints.list>['query']

export type RunPage = PageReply<WireRun> & {
  content_incomplete?: NonNullable<ContentPage['incomplete']>
  content_off?: true
}

const id = numberKey('id')
const orderOf = orders({
  created_at: [numberKey('created_at'), id],
  latency_ms: [numberKey(figureColumns.latency_ms), id],
  cost_usd: [numberKey(figureColumns.cost_usd), id],
  total_tokens: [numberKey(figureColumns.total_tokens), id],
  ttft_ms: [numberKey(figureColumns.ttft_ms), id],
} satisfies Record<RunSortField, readonly SortKey[]>)
/** Period of a list sorted by a figure, if the request has none. */
const defaultPeriodMs = 30 * dayMs

/** Returns a page of the run log. */
export async function listRuns(
  deps: ReaderDeps,
  scope: Scope,
  query: ListQuery,
  now: Date,
  signal: AbortSignal | undefined,
): Promise<RunPage> {
  const { db, names, stats } = deps
  const sort = query.sort ?? '-created_at'
  const figure = figureOf(sort)
  const page = planPage(query, orderOf(sort))
  const period = figure === null ? query : { ...query, from: query.from ?? defaultStart(query, now) }
  const filter = await readFilter(db.read, names, scope, period)
  if (filter === null) return { data: [], total: 0, next_cursor: null }
  if (query.content !== undefined)
    return searchContent(deps, scope, { ...query, content: query.content }, page, filter, signal)

  if (isUnfiltered(filter) && sort === '-created_at' && page.after === null && page.offset === 0) {
    // The most frequent query, the console's first page, is a prepared query.
    const rows = await runStore.newestPage(db.read, { limit: page.limit + 1 })
    const keys = rows.map((row): CursorKey => ({ id: row.id, position: row.created_at }))
    return pageOf(deps, page, keys, rows, totalOf(filter, await stats.count(filter)))
  }

  const wanted = page.offset + page.limit + 1
  const found = await readPositions(db.read, filter, page, figure, wanted)
  const isComplete = page.after === null && found.length < wanted
  const total = totalOf(filter, await countOf(deps, filter, isComplete ? found.length : null))
  const keys = found.slice(page.offset)
  return pageOf(deps, page, keys, await runStore.byIds(db.read, keys), total)
}

/** Returns the figure of a sort order; null for the time. */
function figureOf(sort: RunSort): Figure | null {
  const field = (sort.startsWith('-') ? sort.slice(1) : sort) as RunSortField
  return field === 'created_at' ? null : field
}

const defaultStart = ({ to }: ListQuery, now: Date): Date => new Date((to ?? now).getTime() - defaultPeriodMs)

/** The position of a run in a list: its time or figure, and its id. */
type CursorKey = { readonly position: number; readonly id: number }

/** Returns the positions of up to `wanted` runs after the cursor of a page. */
async function readPositions(
  q: Query,
  filter: RunFilter,
  { order: { direction }, after: cursor }: PagePlan,
  figure: Figure | null,
  wanted: number,
): Promise<CursorKey[]> {
  const after = keyFromCursor(cursor)
  if (figure === null) {
    const last = after && { created_at: after.position, id: after.id }
    const keys = await readKeys(q, filter, direction, last, wanted)
    return keys.map((key) => ({ id: key.id, position: key.created_at }))
  }
  const last = after && { rank: after.position, id: after.id }
  const keys = await readRanked(q, filter, { figure, direction }, last, wanted)
  return keys.map((key) => ({ id: key.id, position: key.rank }))
}

/** Returns the page of a search in captured text, and whether new texts are captured. */
async function searchContent(
  deps: ReaderDeps,
  scope: Scope,
  query: ListQuery & { readonly content: string },
  page: PagePlan,
  filter: RunFilter,
  signal: AbortSignal | undefined,
): Promise<RunPage> {
  const { direction, name } = page.order
  if (!name.endsWith('created_at'))
    throw invalid('query.sort', 'A search in captured text is sorted by time only')
  const last = keyFromCursor(page.after)
  const after = last && { created_at: last.position, id: last.id }
  const reply = await listContent(deps, page, filter, query.content, { direction, after, signal })
  return { ...reply, ...((await isCaptureOff(deps, scope, query)) && { content_off: true }) }
}

/** Returns the page of a search in captured text. */
async function listContent(
  deps: ReaderDeps,
  page: PagePlan,
  filter: RunFilter,
  text: string,
  position: Pick<ContentOptions, 'direction' | 'after' | 'signal'>,
): Promise<RunPage> {
  const wanted = page.offset + page.limit + 1
  const found = await readContentPage(deps, filter, parseContentQuery(text), { ...position, wanted })
  const matches = found.matches.slice(page.offset)
  const keys = matches.map(({ key }): CursorKey => ({ id: key.id, position: key.created_at }))
  const reply = await pageOf(deps, page, keys, await runStore.byIds(deps.db.read, keys), found.total)
  const excerpts = new Map(matches.map(({ key, excerpt }) => [key.id, excerpt]))
  const data = reply.data.map((run): WireRun => ({ ...run, excerpt: excerpts.get(run.id) ?? undefined }))
  return {
    ...reply,
    data,
    ...(found.incomplete && { content_incomplete: progressFor(filter, found.incomplete) }),
  }
}

/** Returns the progress of the index. A caller who does not see all runs gets it in percent, not in bytes. */
function progressFor(
  { visible }: RunFilter,
  progress: NonNullable<ContentPage['incomplete']>,
): NonNullable<ContentPage['incomplete']> {
  if (visible === null) return progress
  const percent = Math.floor((100 * progress.indexed_bytes) / Math.max(1, progress.total_bytes))
  return { indexed_bytes: percent, total_bytes: 100 }
}

/** Returns true if nothing is captured now, in the workspace of the filter if it names exactly one. */
async function isCaptureOff(
  { db, capture }: ReaderDeps,
  scope: Scope,
  { workspace = [] }: ListQuery,
): Promise<boolean> {
  const [only, ...others] = workspace
  const named = only === undefined || others.length > 0 ? undefined : only
  if (named === undefined || !(await findVisibleWorkspace(db.read, scope, named))) return capture() === 'off'
  return (await captureMode(db.read, named, capture(), null)) === 'off'
}

/** Returns a page. A run that retention removed after its key was read is omitted. */
async function pageOf(
  deps: ReaderDeps,
  page: PagePlan,
  keys: readonly CursorKey[],
  rows: readonly ListedRun[],
  total: Total,
): Promise<PageReply<Run>> {
  const runs = new Map((await toWire(deps, rows)).map((run) => [run.id, run]))
  const reply = toPage(
    page,
    keys,
    total,
    (key) => [key.position, key.id],
    (key) => runs.get(key.id),
  )
  return { ...reply, data: reply.data.filter((run) => run !== undefined) }
}

/**
 * Returns the number of matching runs, or any number beyond the maximum total. `keyCount` is the number of
 * keys if all were read, else null.
 */
async function countOf(
  { db, stats }: ReaderDeps,
  filter: RunFilter,
  keyCount: number | null,
): Promise<number> {
  if (isCountedByRollups(filter)) return stats.count(filter)
  if (keyCount !== null) return keyCount
  const certain = await stats.countAtLeast(filter)
  return certain > totalCap ? certain : countMatches(db.read, filter, totalCap + 1)
}

/** Returns the total. It is exact for everything that the caller sees; other totals have a maximum. */
const totalOf = (filter: RunFilter, counted: number): Total =>
  isWholeScope(filter) || counted <= totalCap
    ? { total: counted, isCapped: false }
    : { total: totalCap, isCapped: true }

/** Returns the position that a cursor contains. */
function keyFromCursor(values: readonly (string | number)[] | null): CursorKey | undefined {
  const [position, runId] = values ?? []
  return typeof position === 'number' && typeof runId === 'number' ? { position, id: runId } : undefined
}
