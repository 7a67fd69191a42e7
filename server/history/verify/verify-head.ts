import type { KeyObject } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Query } from '../../db/types.ts'
import { entriesAfter, entryById } from '../chain/audit.store.ts'
import { createTableDigest } from '../chain/chain.ts'
import { type Finding, type HeadState, isHeadSigned } from '../chain/head-file.ts'
import { tableHead } from '../chain/table-head.ts'

/** Rows per query. They take a few milliseconds, so that other work is not delayed. */
export const chunkRows = 200

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
  const finding = (kind: Finding['kind'], id: number, detail: string): Finding => ({
    kind,
    id,
    found_at: now.toISOString(),
    detail,
  })
  if (head.kind === 'missing') {
    if (table.id === 0) return null
    return finding(
      'head_missing',
      table.id,
      `The file audit-head.json was missing when the log ended at entry ${table.id}, so entries removed from the end of the log cannot be detected`,
    )
  }
  if (head.kind === 'unreadable' || !keys.some((key) => isHeadSigned(key, head.record))) {
    const detail = `The file audit-head.json is not signed by this service: it was damaged or replaced when the log ended at entry ${table.id}`
    return finding('head_forged', table.id, detail)
  }
  const { record } = head
  if (record.finding !== null) return record.finding
  if (record.id > table.id) {
    const range =
      record.id === table.id + 1 ? `Entry ${record.id} was` : `Entries ${table.id + 1} to ${record.id} were`
    return finding('cut_off', table.id + 1, `${range} removed from the end of the log`)
  }
  if (record.id === 0) return null
  const row = await entryById(q, record.id)
  if (row?.hash === record.hash) return null
  return finding(
    'rewritten',
    record.id,
    `Entry ${record.id} differs from the last entry of the log when its head was last stored`,
  )
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
