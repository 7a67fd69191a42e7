import { readByIds } from '../../../db/dialect/read-by-ids.ts'
import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import type { RunFilter } from '../store/filters.ts'
import { conditionsOf, matching, type Runs, runsAfter, runsIn } from '../store/matching.ts'
import { type RunKey, runStore } from '../store/runs.store.ts'
import { createWindows, type Direction, type Span } from '../store/windows.ts'

/** Maximum number of keys that one statement returns. */
const keysPerStatement = 4000

/** Returns the part of the log that a filter includes; null if the log is empty. */
export async function spanOf(q: Query, { from, to }: RunFilter): Promise<Span | null> {
  const log = await runStore.ends(q)
  return log === null
    ? null
    : { from: Math.max(from ?? log.oldest, log.oldest), to: Math.min(to ?? log.newest + 1, log.newest + 1) }
}

export async function countMatches(q: Query, filter: RunFilter, maxCount: number): Promise<number> {
  const span = await spanOf(q, filter)
  if (span === null) return 0
  const conditions = conditionsOf(filter)
  const windows = createWindows(span, 'desc')
  const yieldIfDue = createYield()
  let count = 0
  for (let window = windows.next(); window !== null && count < maxCount; window = windows.next()) {
    const rows = matching(runsIn(q, window), conditions)
      .select('id')
      .limit(maxCount - count)
    const startedAt = performance.now()
    const [row] = await q
      .selectFrom(rows.as('counted'))
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .execute()
    windows.adjust(performance.now() - startedAt)
    count += row?.n ?? 0
    await yieldIfDue()
  }
  return count
}

/** A captured run, with the location of its payload. */
export type Located = RunKey & { readonly day: number; readonly offset: number; readonly length: number }

/** Returns those of the runs that exist with this payload and match the filter except its times, in order. */
export async function matchingAmong(
  q: Query,
  filter: RunFilter,
  runs: readonly Located[],
): Promise<Located[]> {
  const conditions = conditionsOf(filter)
  const yieldIfDue = createYield()
  const ids = runs.map(({ id }) => id)
  const rows = await readByIds(ids, async (chunk) => {
    await yieldIfDue()
    // The limit keeps SQLite from using the index of a filter, which may have most runs of the log.
    const chosen = q.selectFrom('runs').selectAll().where('id', 'in', chunk).limit(chunk.length)
    return matching(q.selectFrom(chosen.as('runs')), conditions)
      .select(['id', 'payload_day as day', 'payload_offset as offset'])
      .execute()
  })
  const payloads = new Map(rows.map((row) => [row.id, row]))
  return runs.filter(({ id, day, offset }) => {
    const row = payloads.get(id)
    return row?.day === day && row.offset === offset
  })
}

/** Yields the keys of all matching runs after `after`, in order, up to `maxCount` at a time. */
export async function* keysOf(
  q: Query,
  filter: RunFilter,
  direction: Direction,
  after: RunKey | undefined,
  maxCount: number,
): AsyncGenerator<RunKey[]> {
  const span = await spanOf(q, filter)
  if (span === null) return
  const conditions = conditionsOf(filter)
  const windows = createWindows(spanAfter(span, direction, after), direction)
  const yieldIfDue = createYield()
  const chunkSize = Math.min(maxCount, keysPerStatement)
  for (let window = windows.next(); window !== null; window = windows.next()) {
    let last = after !== undefined && isWithin(window, after) ? after : undefined
    let keys: RunKey[]
    do {
      const startedAt = performance.now()
      const runs = last === undefined ? runsIn(q, window) : runsAfter(q, window, direction, last)
      keys = await firstKeys(matching(runs, conditions), direction, chunkSize)
      windows.adjust(performance.now() - startedAt)
      last = keys.at(-1)
      if (keys.length > 0) yield keys
      await yieldIfDue()
    } while (keys.length === chunkSize)
  }
}

/** Returns the keys of up to `maxCount` matching runs after `after`, in order. */
export async function readKeys(
  q: Query,
  filter: RunFilter,
  direction: Direction,
  after: RunKey | undefined,
  maxCount: number,
): Promise<RunKey[]> {
  const keys: RunKey[] = []
  for await (const chunk of keysOf(q, filter, direction, after, maxCount)) {
    keys.push(...chunk)
    if (keys.length >= maxCount) break
  }
  return keys.slice(0, maxCount)
}

const isWithin = ({ from, to }: Span, { created_at: at }: RunKey): boolean => from <= at && at < to

/** Returns the part of a span that contains the keys after `after`. */
function spanAfter({ from, to }: Span, direction: Direction, after: RunKey | undefined): Span {
  if (after === undefined) return { from, to }
  return direction === 'desc'
    ? { from, to: Math.min(to, after.created_at + 1) }
    : { from: Math.max(from, after.created_at), to }
}

const firstKeys = (runs: Runs, direction: Direction, limit: number): Promise<RunKey[]> =>
  runs
    .select(['created_at', 'id'])
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .execute()
