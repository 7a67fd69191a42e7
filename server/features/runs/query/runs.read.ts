import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { Run, RunDetail } from '../../../../contract/runs/run.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import type { Db } from '../../../db/types.ts'
import {
  numberKey,
  orders,
  type PagePlan,
  type PageReply,
  planPage,
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
import { detailToWire, nameIdsOf, runToWire } from '../store/runs.wire.ts'
import { countMatches, keysOf, readKeys } from './matches.read.ts'

export type ListQuery = InputOf<typeof endpoints.list>['query']
export type ExportQuery = Omit<InputOf<typeof endpoints.export>['query'], 'format'>

export type RunReader = {
  list(query: ListQuery): Promise<PageReply<Run>>
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

const orderOf = orders({ created_at: [numberKey('created_at'), numberKey('id')] })
const rowsPerChunk = 500
const keyOf = (key: RunKey) => [key.created_at, key.id]

export const createRunReader = (deps: Deps): RunReader => ({
  list: (query) => list(deps, query),
  get: (id) => get(deps, id),
  chunks: (query) => chunks(deps, query),
})

async function list(deps: Deps, query: ListQuery): Promise<PageReply<Run>> {
  const { db, names, stats } = deps
  const order = orderOf(query.sort ?? '-created_at')
  const page = planPage(query, order)
  const filter = await readFilter(db.read, names, query)
  if (filter === null) return { data: [], total: 0, next_cursor: null }
  const after = keyFromCursor(page.after)

  if (isUnfiltered(filter) && order.direction === 'desc' && after === undefined && page.offset === 0) {
    // The most frequent query, the console's first page, is a prepared query.
    const rows = await runStore.newestPage(db.read, { limit: page.limit + 1 })
    return pageOf(deps, page, rows, rows, totalOf(filter, await stats.count(filter)))
  }

  const wanted = page.offset + page.limit + 1
  const found = await readKeys(db.read, filter, order.direction, after, wanted)
  const isComplete = after === undefined && found.length < wanted
  const total = totalOf(filter, await countOf(deps, filter, isComplete ? found.length : null))
  const keys = found.slice(page.offset)
  return pageOf(deps, page, keys, await runStore.byKeys(db.read, keys), total)
}

/** Returns a page. A run that retention removed after its key was read is omitted. */
async function pageOf(
  deps: Deps,
  page: PagePlan,
  keys: readonly RunKey[],
  rows: readonly ListedRun[],
  total: Total,
): Promise<PageReply<Run>> {
  const runs = new Map((await toWire(deps, rows)).map((run) => [run.id, run]))
  const reply = toPage(page, keys, total, keyOf, ({ id }) => runs.get(id))
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
function keyFromCursor(values: readonly (string | number)[] | null): RunKey | undefined {
  const [time, id] = values ?? []
  return typeof time === 'number' && typeof id === 'number' ? { created_at: time, id } : undefined
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
  const ids = nameIdsOf([row])
  if (row.variables !== null) ids.add(row.variables)
  const nameOf = await names.loadTexts(db.read, ids)
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
    yield await toWire(deps, await runStore.byKeys(read, keys))
    keys = []
  }
  if (keys.length > 0) yield await toWire(deps, await runStore.byKeys(read, keys))
}
