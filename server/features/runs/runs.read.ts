import type { InputOf } from '../../../contract/endpoint.ts'
import type { Run, RunDetail } from '../../../contract/run.ts'
import type { runs as endpoints } from '../../../contract/runs.ts'
import type { RunsTable } from '../../db/schema/runs.ts'
import type { Db } from '../../db/types.ts'
import {
  numberKey,
  orders,
  type PagePlan,
  type PageReply,
  planPage,
  type Total,
  toPage,
  totalCap,
} from '../../lib/paging.ts'
import { runOwner } from './capture.ts'
import type { Names } from './names.store.ts'
import type { Payloads } from './payloads.ts'
import { isCountedByRollups, isUnfiltered, type RunFilter, readFilter } from './runs.filters.ts'
import { countWalked, type Direction, planScan, type RunKey, type ScanPlan } from './runs.plan.ts'
import { scanKeys } from './runs.scan.ts'
import { type ListedRun, runStore } from './runs.store.ts'
import { nameIdsOf, runToWire } from './runs.wire.ts'
import type { StatsReader } from './stats.read.ts'

export type ListQuery = InputOf<typeof endpoints.list>['query']
export type ExportQuery = Omit<InputOf<typeof endpoints.export>['query'], 'format'>

export type RunReader = {
  list(query: ListQuery): Promise<PageReply<Run>>
  get(id: number): Promise<RunDetail | null>
  /** Yields every matching run, newest first, in chunks of a few hundred. */
  chunks(query: ExportQuery): AsyncGenerator<Run[]>
}

const orderOf = orders({ created_at: [numberKey('created_at'), numberKey('id')] })
const rowsPerChunk = 500
/** The deepest page, and one row that shows whether another page follows. */
const mostCounted = 10_000 + 200 + 1

export function createRunReader(deps: {
  readonly db: Db
  readonly names: Names
  readonly stats: StatsReader
  readonly payloads: Payloads
}): RunReader {
  const { db, names, stats, payloads } = deps

  async function toWire(rows: readonly ListedRun[]): Promise<Run[]> {
    const nameOf = await names.load(db.read, nameIdsOf(rows))
    return rows.map((row) => runToWire(row, nameOf))
  }

  const totalOf = (filter: RunFilter, counted: number): Total =>
    isUnfiltered(filter) || counted <= totalCap
      ? { total: counted, isCapped: false }
      : { total: totalCap, isCapped: true }

  async function pageOf(page: PagePlan, keys: readonly RunKey[], total: Total): Promise<PageReply<Run>> {
    const runs = new Map((await runsOf(keys)).map((run) => [run.id, run]))
    const keyOf = (key: RunKey) => [key.created_at, key.id]
    const reply = toPage(page, keys, total, keyOf, (key) => runs.get(key.id))
    // Retention may have removed a run after its key was read.
    return { ...reply, data: reply.data.filter((run) => run !== undefined) }
  }

  return {
    async list(query) {
      const order = orderOf(query.sort ?? '-created_at')
      const page = planPage(query, order)
      const { direction } = order
      const filter = await readFilter(db.read, names, query)
      if (filter === null) return { data: [], total: 0, next_cursor: null }
      const [time, id] = page.after ?? []
      const after = typeof time === 'number' && typeof id === 'number' ? { created_at: time, id } : undefined

      if (isUnfiltered(filter) && direction === 'desc' && after === undefined && page.offset === 0) {
        // The most frequent query, the console's first page, is a prepared query.
        const rows = await runStore.newestPage(db.read, { limit: page.limit + 1 })
        const runs = await toWire(rows)
        const shown = rows.map((row, index) => ({ row, run: runs[index] as Run }))
        const total = totalOf(filter, await stats.count(filter))
        return toPage(
          page,
          shown,
          total,
          ({ row }) => [row.created_at, row.id],
          ({ run }) => run,
        )
      }

      const plan = await planScan(db.read, filter)
      const counted = isCountedByRollups(filter)
        ? await stats.count(filter)
        : await countWalked(db.read, plan, totalCap + 1)
      if (counted !== null) {
        const keys = await scanKeys(db.read, plan, direction, after, page.limit + 1, page.offset)
        return pageOf(page, keys, totalOf(filter, counted))
      }
      // If counting must read rows, one scan provides the first page and the total.
      const all = await scanKeys(db.read, plan, direction, undefined, mostCounted)
      const total = totalOf(filter, all.length)
      const keys =
        after === undefined
          ? all.slice(page.offset, page.offset + page.limit + 1)
          : await scanKeys(db.read, plan, direction, after, page.limit + 1)
      return pageOf(page, keys, total)
    },

    async get(id) {
      const row = await runStore.get(db.read, id)
      if (row === undefined) return null
      const [run] = await toWire([row])
      return run === undefined ? null : detailOf(row, run)
    },

    async *chunks(query) {
      const filter = await readFilter(db.read, names, query)
      if (filter === null) return
      const plan: ScanPlan = await planScan(db.read, filter)
      const direction: Direction = 'desc'
      let after: RunKey | undefined
      for (;;) {
        const keys = await scanKeys(db.read, plan, direction, after, rowsPerChunk)
        if (keys.length > 0) yield await runsOf(keys)
        after = keys.at(-1)
        if (keys.length < rowsPerChunk) return
      }
    },
  }

  async function runsOf(keys: readonly RunKey[]): Promise<Run[]> {
    return toWire(await runStore.byKeys(db.read, keys))
  }

  async function detailOf(row: RunsTable, run: Run): Promise<RunDetail> {
    const { payload_day: day, payload_offset: offset, payload_length: length } = row
    const isKept = day !== null && offset !== null && length !== null
    const ids = row.variables === null ? [] : [row.variables]
    const payload = isKept ? await payloads.read({ day, offset, length }, [runOwner(row.id)]) : null
    return {
      ...run,
      input: payload?.input ?? null,
      output: payload?.output ?? null,
      params: row.params === null ? null : JSON.parse(row.params),
      finish_reason: row.finish_reason,
      tokens_per_second: tokensPerSecond(row),
      client_run_id: row.client_run_id,
      variables: variablesOf((await names.load(db.read, ids))(row.variables)),
      request_id: row.request_id,
    }
  }
}

/**
 * Returns the output rate after the first token, or over the whole time if there is no time of the first
 * token.
 */
function tokensPerSecond({ output_tokens: tokens, latency_us: latency, ttft_us: ttft }: RunsTable) {
  const micros = ttft === null || ttft >= latency ? latency : latency - ttft
  return tokens === null || micros === 0 ? null : Math.round((tokens * 1e7) / micros) / 10
}

/** Returns the names in a stored list. */
export const variablesOf = (joined: string | null): string[] | null =>
  joined === null ? null : joined.split(',').filter((name) => name !== '')
