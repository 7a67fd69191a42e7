import { readByIds } from '../../../db/dialect/read-by-ids.ts'
import type { Query } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import { runStore } from '../store/runs.store.ts'
import type { LineRef, RowsOf } from './day/day-index.ts'
import type { Key } from './segment/format.ts'

/** Rows per statement when all runs are read for lines without an id. */
const rowsPerStatement = 20_000

/** Creates a lookup of the runs that refer to lines of a payload file. */
export function createRowsOf(q: Query): RowsOf {
  let scanned: { readonly day: number; readonly rows: Map<number, Key> } | null = null
  return async (day, refs) => {
    const found = await rowsById(q, day, refs)
    if (refs.every(({ id }) => id !== null)) return found
    // Lines written by version 0.1 have no run id. The runs of their day are then read, once.
    scanned = scanned?.day === day ? scanned : { day, rows: await scanRows(q, day) }
    for (const { id, offset } of refs) {
      const row = id === null ? scanned.rows.get(offset) : undefined
      if (row !== undefined) found.set(offset, row)
    }
    return found
  }
}

async function rowsById(q: Query, day: number, refs: readonly LineRef[]): Promise<Map<number, Key>> {
  const yieldIfDue = createYield()
  const offsetOf = new Map(refs.flatMap(({ id, offset }) => (id === null ? [] : [[id, offset] as const])))
  const ids = [...offsetOf.keys()]
  const found = new Map<number, Key>()
  const rows = await readByIds(ids, async (chunk) => {
    await yieldIfDue()
    return q
      .selectFrom('runs')
      .select(['id', 'created_at', 'payload_day', 'payload_offset'])
      .where('id', 'in', chunk)
      .execute()
  })
  for (const { id, created_at, payload_day, payload_offset } of rows) {
    // Another line may name the same id, for example after a failed transaction.
    const isHere = payload_day === day && payload_offset !== null && payload_offset === offsetOf.get(id)
    if (isHere) found.set(payload_offset, { id, created_at })
  }
  return found
}

async function scanRows(q: Query, day: number): Promise<Map<number, Key>> {
  const yieldIfDue = createYield()
  const rows = new Map<number, Key>()
  const last = await runStore.lastId(q)
  for (let from = 1; from <= last; from += rowsPerStatement) {
    const found = await q
      .selectFrom('runs')
      .select(['id', 'created_at', 'payload_offset'])
      .where('id', '>=', from)
      .where('id', '<', from + rowsPerStatement)
      .where('payload_day', '=', day)
      .execute()
    for (const { id, created_at, payload_offset } of found) {
      if (payload_offset !== null) rows.set(payload_offset, { id, created_at })
    }
    await yieldIfDue()
  }
  return rows
}
