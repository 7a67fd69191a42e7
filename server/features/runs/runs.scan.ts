import { type SqlBool, sql } from 'kysely'
import type { Query } from '../../db/types.ts'
import { type Breath, createBreath } from './breath.ts'
import { type Direction, type RunKey, type ScanPlan, type Walk, walked } from './runs.plan.ts'

/** Rows per statement. Adjusted so that a statement takes a few milliseconds, whatever is checked. */
const smallestWindow = 256
const largestWindow = 16_384
const shortMs = 2
const longMs = 6

/** Yields the keys of one index range that pass the checks, in order, with bounded statements. */
async function* keysOf(
  q: Query,
  plan: ScanPlan,
  walk: Walk,
  direction: Direction,
  start: RunKey | undefined,
  wanted: number,
  breathe: Breath,
): AsyncGenerator<RunKey[]> {
  let after = start
  if (plan.checks.length === 0) {
    for (;;) {
      const size = Math.min(wanted, 4000)
      const keys = await walked(q, plan, walk, direction, after)
        .select(['created_at', 'id'])
        .limit(size)
        .execute()
      if (keys.length > 0) yield keys
      after = keys.at(-1)
      if (keys.length < size) return
      await breathe()
    }
  }
  let size = smallestWindow
  for (;;) {
    const begun = performance.now()
    const base = walked(q, plan, walk, direction, after)
    const [end] = await base.select(['created_at', 'id']).limit(1).offset(size).execute()
    let window = base.select(['created_at', 'id'])
    if (end !== undefined) {
      window = window.where(
        direction === 'desc'
          ? sql<SqlBool>`(created_at, id) >= (${end.created_at}, ${end.id})`
          : sql<SqlBool>`(created_at, id) <= (${end.created_at}, ${end.id})`,
      )
    }
    for (const check of plan.checks) window = window.where(check)
    const keys = await window.execute()
    const took = performance.now() - begun
    if (took < shortMs) size = Math.min(largestWindow, size * 2)
    else if (took > longMs) size = Math.max(smallestWindow, Math.ceil(size / 2))
    if (keys.length > 0) yield keys
    if (end === undefined) return
    after = end
    await breathe()
  }
}

/**
 * Returns up to `limit` matching keys after `after`, skipping `offset`, merged from all ranges without
 * duplicates.
 */
export async function scanKeys(
  q: Query,
  plan: ScanPlan,
  direction: Direction,
  after: RunKey | undefined,
  limit: number,
  offset = 0,
): Promise<RunKey[]> {
  const [only] = plan.walks
  if (only !== undefined && plan.walks.length === 1 && plan.checks.length === 0) {
    return walked(q, plan, only, direction, after)
      .select(['created_at', 'id'])
      .limit(limit)
      .offset(offset)
      .execute()
  }
  return (await mergeKeys(q, plan, direction, after, offset + limit)).slice(offset)
}

async function mergeKeys(
  q: Query,
  plan: ScanPlan,
  direction: Direction,
  after: RunKey | undefined,
  limit: number,
): Promise<RunKey[]> {
  const breathe = createBreath()
  const found: RunKey[] = []
  const streams = plan.walks.map((walk) =>
    createStream(keysOf(q, plan, walk, direction, after, limit, breathe)),
  )
  for (const stream of streams) await stream.fill()
  while (found.length < limit) {
    let first: RunKey | undefined
    for (const stream of streams) {
      const key = stream.peek()
      if (key !== undefined && (first === undefined || isBefore(key, first, direction))) first = key
    }
    if (first === undefined) return found
    found.push(first)
    for (const stream of streams) {
      // A run may be in two ranges, if both its model and its error contain the word.
      if (stream.peek()?.id === first.id) {
        stream.drop()
        if (stream.peek() === undefined) await stream.fill()
      }
    }
  }
  return found
}

function isBefore(a: RunKey, b: RunKey, direction: Direction): boolean {
  const order = a.created_at - b.created_at || a.id - b.id
  return direction === 'desc' ? order > 0 : order < 0
}

function createStream(chunks: AsyncGenerator<RunKey[]>) {
  let chunk: RunKey[] = []
  let at = 0
  return {
    peek: () => chunk[at],
    drop: () => {
      at += 1
    },
    async fill() {
      const next = await chunks.next()
      chunk = next.done === true ? [] : next.value
      at = 0
    },
  }
}
