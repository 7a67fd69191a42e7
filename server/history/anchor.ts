import { basename } from 'node:path'
import { z } from 'zod'
import type { AuditTable } from '../db/schema/schema.ts'
import { plainText } from '../lib/text/plain-text.ts'
import { genesis, type Head } from './chain/chain.ts'
import type { HeadState } from './chain/head-file.ts'
import type { KeyMatch } from './chain/segments.ts'
import type { HistoryEvent } from './history.ts'

/** A restore or recovery of the store since the last start. */
export type RestoreNotice = {
  readonly file: string
  readonly at: string | Date
  /** Set for a recovery: the last transaction that was kept, and the last one known. */
  readonly recovered?: { readonly transaction: number; readonly known: number }
}

/**
 * Returns the file name without its folder, so that the log does not reveal the layout of this machine's
 * disk.
 */
export const fileNameOf = (restored: RestoreNotice): string => plainText(basename(restored.file), 128)

/** Returns the time of the restore as an ISO string. */
export const restoreTimeOf = (restored: RestoreNotice): string => new Date(restored.at).toISOString()

function describeRestore(restored: RestoreNotice): string {
  if (restored.recovered === undefined) return `Restored the store from ${fileNameOf(restored)}`
  const { transaction, known } = restored.recovered
  const count = known - transaction
  const lost = count > 0 ? ` (at least ${count} later ${count === 1 ? 'one was' : 'ones were'} lost)` : ''
  return `Recovered the store up to transaction ${transaction}${lost}`
}

type AnchorFacts = {
  readonly restored: RestoreNotice | null
  readonly head: HeadState
  readonly table: Head
  readonly digest: string | null
  readonly match: KeyMatch
}

/**
 * Returns the `system` entry from which the chain restarts. It contains the earlier head, whose later
 * entries a restore discarded, and the head from which the chain continues. If another key signed the older
 * rows, it also contains their digest, so that changes to them are detected.
 */
export function anchorEvent({ restored, head, table, digest, match }: AnchorFacts): HistoryEvent {
  const earlier = head.kind === 'read' ? head.record : null
  const before = {
    head: earlier === null ? null : { id: earlier.id, hash: earlier.hash },
    ...(earlier?.finding && { finding: earlier.finding }),
  }
  const after = {
    head: table.id === 0 ? genesis : table,
    sealed_with: digest === null ? 'this key' : 'another key',
    ...(digest !== null && { digest }),
    ...(restored !== null && { file: fileNameOf(restored), restored_at: restoreTimeOf(restored) }),
    ...(restored?.recovered && { recovered: restored.recovered }),
  }
  if (restored === null) {
    const summary =
      match === 'earlier'
        ? `The audit key of the first entries was restored. Some entries up to ${table.id} were signed with another key.`
        : `The audit key did not sign entries 1 to ${table.id}, so they cannot be verified without their key. A new chain starts here.`
    return { action: 'restore', resource: 'audit', resourceId: null, key: null, summary, before, after }
  }
  const end = earlier?.id ?? 0
  // Entries of another log have the same numbers.
  const isOther = match === 'none' && end > 0
  const discarded = end > table.id ? ` Entries ${table.id + 1} to ${end} were discarded.` : ''
  const lost = isOther ? ` The earlier log ended at entry ${end}.` : discarded
  const summary = `${describeRestore(restored)}, whose log ends at entry ${table.id}.${lost}`
  return {
    action: 'restore',
    resource: 'backup',
    resourceId: null,
    key: fileNameOf(restored),
    summary,
    before,
    after,
  }
}

const Replaced = z.object({ head: z.object({ id: z.int(), hash: z.string() }).nullable() })

/** Returns the head of the log that a restore replaced; null if it had none, undefined if the restore's entry was altered. */
export function replacedHeadOf({ before }: Pick<AuditTable, 'before'>): Head | null | undefined {
  try {
    return Replaced.parse(JSON.parse(before ?? '')).head
  } catch {
    // Verification of the chain reports the altered entry.
    return undefined
  }
}
