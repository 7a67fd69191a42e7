import type { KeyObject } from 'node:crypto'
import type { AuditTable } from '../../db/schema/schema.ts'
import type { Query } from '../../db/types.ts'
import { entriesAfter } from '../chain/audit.store.ts'
import { type Head, isSigned } from '../chain/chain.ts'
import { chunkRows } from './verify-head.ts'

/**
 * The first entry that is not as written, and what happened to it. `id` is null if it cannot be determined.
 */
export type Break = { readonly id: number | null; readonly reason: string }

type BreakContext = {
  readonly q: Query
  readonly key: KeyObject
  /** The first row that is not the expected one. */
  readonly row: AuditTable
  /** The last valid entry before it. */
  readonly previous: Head
  readonly upTo: number
  readonly pause: () => Promise<void>
}

/** Maximum distance at which a renumbered row is recognized. */
const maxShift = 1000

/**
 * Determines what happened to the entry that should follow `previous`: edited, deleted, inserted, moved, or
 * rewritten with all others.
 */
export async function describeBreak(context: BreakContext): Promise<Break> {
  const { key, row, previous } = context
  const id = previous.id + 1
  if (row.id !== id) {
    const last = row.id - 1
    return {
      id,
      reason: last === id ? `Entry ${id} was deleted` : `Entries ${id} to ${last} were deleted`,
    }
  }
  if (isSigned(key, row)) {
    return {
      id,
      reason: `Entry ${id} is genuine but does not follow entry ${previous.id}: the two come from different histories of this log`,
    }
  }
  if (await isRewritten(context)) {
    return {
      id,
      reason: `No entry from ${id} on is signed with the key of this service: the table was rewritten without its key`,
    }
  }
  const displaced = await findDisplaced(context)
  const original = originalNumber(key, row)
  if (displaced !== null && original !== null) {
    return {
      id,
      reason: `The order was changed: entry ${id} contains the original entry ${original}, and the original entry ${id} is now at ${displaced}`,
    }
  }
  if (displaced !== null) {
    return {
      id,
      reason: `Entry ${id} was inserted: the original entry ${id} is now at ${displaced}`,
    }
  }
  if (original !== null) {
    return {
      id,
      reason: `Entry ${id} was deleted and later ones renumbered: the current entry was written as entry ${original}`,
    }
  }
  if (id === context.upTo && row.prev_hash !== previous.hash) {
    return { id, reason: `Entry ${id} was inserted: it was not written by this service` }
  }
  return { id, reason: `Entry ${id} was changed after it was written, or was not written by this service` }
}

/** Returns the id with which the row was signed, searched near its current id. Null if not found. */
function originalNumber(key: KeyObject, row: AuditTable): number | null {
  for (let distance = 1; distance <= maxShift; distance += 1) {
    for (const id of [row.id + distance, row.id - distance]) {
      if (id > 0 && isSigned(key, row, id)) return id
    }
  }
  return null
}

/** Returns the current id of the genuine successor of `previous`, or null if it is not in the table. */
async function findDisplaced({ q, key, row, previous, upTo, pause }: BreakContext): Promise<number | null> {
  for (let after = row.id; ; ) {
    const rows = await entriesAfter(q, { after, upTo, limit: chunkRows })
    const found = rows.find(
      (other) => other.prev_hash === previous.hash && isSigned(key, other, previous.id + 1),
    )
    if (found !== undefined) return found.id
    const last = rows.at(-1)
    if (last === undefined) return null
    after = last.id
    await pause()
  }
}

/**
 * Returns true if no row, or no row of a sample if there are many, has a valid HMAC: the table was rewritten
 * without the key.
 */
async function isRewritten({ q, key, row, upTo }: BreakContext): Promise<boolean> {
  if (row.id !== 1 || upTo < 2) return false
  const step = Math.max(1, Math.floor(upTo / 50))
  for (let id = 1; id <= upTo; id += step) {
    const [other] = await entriesAfter(q, { after: id - 1, upTo, limit: 1 })
    if (other !== undefined && isSigned(key, other)) return false
  }
  const [last] = await entriesAfter(q, { after: upTo - 1, upTo, limit: 1 })
  return last === undefined || !isSigned(key, last)
}
