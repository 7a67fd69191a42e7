import type { KeyObject } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Query } from '../../db/types.ts'
import { entriesAfter, entryById, hasUsers } from '../chain/audit.store.ts'
import { createTableDigest, type Head } from '../chain/chain.ts'
import { type Finding, type HeadState, isHeadSigned } from '../chain/head-file.ts'
import { tableHead } from '../chain/table-head.ts'

/** Rows per query. They take a few milliseconds, so that other work is not delayed. */
export const chunkRows = 200

const findingAt = (now: Date, kind: Finding['kind'], id: number, detail: string): Finding => ({
  kind,
  id,
  found_at: now.toISOString(),
  detail,
})

/**
 * Compares an entry that was the newest with the table. Returns null if the table still has it, or if the log was empty
 * then.
 */
export async function compareHead(q: Query, known: Head, table: Head, now: Date): Promise<Finding | null> {
  if (known.hash === table.hash || known.id === 0) return null
  if (known.id > table.id) {
    const range =
      known.id === table.id + 1 ? `Entry ${known.id} was` : `Entries ${table.id + 1} to ${known.id} were`
    return findingAt(now, 'cut_off', table.id + 1, `${range} removed from the end of the log`)
  }
  const row = await entryById(q, known.id)
  if (row?.hash === known.hash) return null
  return findingAt(
    now,
    'rewritten',
    known.id,
    `Entry ${known.id} differs from the last entry of the log when its head was last stored`,
  )
}

/** Returns a finding if a store in use has no entries: the first start creates a user and records that. */
async function checkEmpty(q: Query, now: Date): Promise<Finding | null> {
  if (!(await hasUsers(q))) return null
  return findingAt(now, 'cut_off', 1, 'The log is empty although there are users: every entry was removed')
}

/**
 * Compares the head file with the table. Returns null if they agree. The table may have more rows, because
 * the journal recovered them.
 */
export async function checkHead(
  q: Query,
  keys: readonly KeyObject[],
  head: HeadState,
  now: Date,
): Promise<Finding | null> {
  const table = await tableHead(q)
  if (head.kind === 'missing') {
    if (table.id === 0) return checkEmpty(q, now)
    return findingAt(
      now,
      'head_missing',
      table.id,
      `The file audit-head.json was missing when the log ended at entry ${table.id}, so entries removed from the end of the log cannot be detected`,
    )
  }
  if (head.kind === 'unreadable' || !keys.some((key) => isHeadSigned(key, head.record))) {
    const detail = `The file audit-head.json is not signed by this service: it was damaged or replaced when the log ended at entry ${table.id}`
    return findingAt(now, 'head_forged', table.id, detail)
  }
  const { record } = head
  if (record.finding !== null) return record.finding
  if (record.id === 0 && table.id === 0) return checkEmpty(q, now)
  return compareHead(q, record, table, now)
}

/** Returns the digest of every row up to `upTo`, for a restore whose rows another key signed. */
export async function digestTable(
  q: Query,
  upTo: number,
  pause: () => Promise<void> = nextTurn,
): Promise<string> {
  const digest = createTableDigest()
  for (let after = 0; ; ) {
    const rows = await entriesAfter(q, { after, upTo, limit: chunkRows })
    for (const row of rows) digest.add(row)
    const last = rows.at(-1)
    if (last === undefined) return digest.end()
    after = last.id
    await pause()
  }
}
