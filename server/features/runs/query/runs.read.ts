import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { Run, RunDetail } from '../../../../contract/runs/run.ts'
import type { RunSort, RunSortField } from '../../../../contract/runs/run-filters.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Db, Query } from '../../../db/types.ts'
import { dayMs } from '../../../lib/durations.ts'
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
import { runOwner } from '../payloads/capture.ts'
import type { Payloads } from '../payloads/payload-files.ts'
import type { StatsReader } from '../statistics/statistics.read.ts'
import { isCountedByRollups, isUnfiltered, type RunFilter, readFilter } from '../store/filters.ts'
import type { NameDictionary } from '../store/names.store.ts'
import { type ListedRun, type RunKey, runStore } from '../store/runs.store.ts'
import { allNameIdsOf, detailToWire, nameIdsOf, runToWire } from '../store/runs.wire.ts'
import { countMatches, keysOf, readKeys } from './matches.read.ts'
import { type Figure, figureColumns, readRanked } from './sorted.read.ts'

export type ListQuery = InputOf<typeof endpoints.list>['query']
export type ExportQuery = Omit<InputOf<typeof endpoints.export>['query'], 'format'>

export type RunReader = {
  list(query: ListQuery, now: Date): Promise<PageReply<Run>>
  get(id: number): Promise<RunDetail | null>
  /** Yields every matching run, newest first, in chunks of a few hundred. */
  chunks(query: ExportQuery): AsyncGenerator<Run[]>
}

type Deps = {
  readonly db: Db
  readonly names: NameDictionary
  readonly stats: StatsReader
  readonly payloads: Payloads
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
const rowsPerChunk = 500

export const createRunReader = (deps: Deps): RunReader => ({
  list: (query, now) => list(deps, query, now),
  get: (id) => get(deps, id),
  chunks: (query) => chunks(deps, query),
})

async function list(deps: Deps, query: ListQuery, now: Date): Promise<PageReply<Run>> {
  const { db, names, stats } = deps
  const sort = query.sort ?? '-created_at'
  const figure = figureOf(sort)
  const page = planPage(query, orderOf(sort))
  const period = figure === null ? query : { ...query, from: query.from ?? defaultStart(query, now) }
  const filter = await readFilter(db.read, names, period)
  if (filter === null) return { data: [], total: 0, next_cursor: null }

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

/** Returns a page. A run that retention removed after its key was read is omitted. */
async function pageOf(
  deps: Deps,
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

/** Returns the number of matching runs. `keyCount` is the number of keys if all were read, else null. */
function countOf({ db, stats }: Deps, filter: RunFilter, keyCount: number | null): Promise<number> {
  if (isCountedByRollups(filter)) return stats.count(filter)
  return keyCount === null ? countMatches(db.read, filter, totalCap + 1) : Promise.resolve(keyCount)
}

/** The total of the whole log is exact, others have a maximum. */
const totalOf = (filter: RunFilter, counted: number): Total =>
  isUnfiltered(filter) || counted <= totalCap
    ? { total: counted, isCapped: false }
    : { total: totalCap, isCapped: true }

/** Returns the position that a cursor contains. */
function keyFromCursor(values: readonly (string | number)[] | null): CursorKey | undefined {
  const [position, runId] = values ?? []
  return typeof position === 'number' && typeof runId === 'number' ? { position, id: runId } : undefined
}

async function toWire({ db, names }: Deps, rows: readonly ListedRun[]): Promise<Run[]> {
  const nameOf = await names.loadTexts(db.read, nameIdsOf(rows))
  return rows.map((row) => runToWire(row, nameOf))
}

async function get(deps: Deps, id: number): Promise<RunDetail | null> {
  const { db, names, payloads } = deps
  const row = await runStore.get(db.read, id)
  if (row === undefined) return null
  const place = placeOf(row)
  const payload = place === null ? null : await payloads.read(place, [runOwner(row.id)])
  const nameOf = await names.loadTexts(db.read, allNameIdsOf(row))
  return detailToWire(row, { input: payload?.input ?? null, output: payload?.output ?? null }, nameOf)
}

/** Returns the location of a captured payload; null if nothing was captured. */
function placeOf({ payload_day: day, payload_offset: offset, payload_length: length }: RunsTable) {
  return day === null || offset === null || length === null ? null : { day, offset, length }
}

async function* chunks(deps: Deps, query: ExportQuery): AsyncGenerator<Run[]> {
  const { read } = deps.db
  const filter = await readFilter(read, deps.names, query)
  if (filter === null) return
  let keys: RunKey[] = []
  for await (const found of keysOf(read, filter, 'desc', undefined, rowsPerChunk)) {
    keys.push(...found)
    if (keys.length < rowsPerChunk) continue
    yield await toWire(deps, await runStore.byIds(read, keys))
    keys = []
  }
  if (keys.length > 0) yield await toWire(deps, await runStore.byIds(read, keys))
}
