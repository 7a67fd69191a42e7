import type { KeyObject } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ChainReport } from '../../contract/audit.ts'
import type { AuditTable } from '../db/schema.ts'
import type { Query } from '../db/types.ts'
import { entriesAfter, restoreEntries } from './audit.store.ts'
import { genesis, type Head, isSealed, keyIdOf } from './chain.ts'
import { chunkRows, digestTable, examineHead, tableHead } from './chain-start.ts'
import type { HeadState } from './head-file.ts'
import { type Break, nameBreak } from './verify-break.ts'

export type VerifyDeps = {
  readonly q: Query
  /** Null when the key file is missing. */
  readonly key: KeyObject | null
  readonly head: () => Promise<HeadState>
  readonly now: Date
  /** Awaited after each few milliseconds of work; may wait longer, or throw to give up. */
  readonly pause?: () => Promise<void>
}

/** Walks the whole chain in small steps. Finds the first entry that is not what was written, and says what became of it. */
export async function verifyChain({ q, key, head, now, pause = nextTurn }: VerifyDeps): Promise<ChainReport> {
  // The head file is read first: it only ever speaks of rows that are in the table already.
  const headState = await head()
  const table = await tableHead(q)
  const report = (broken: Break | null, note: string | null = null): ChainReport => ({
    ok: broken === null,
    entries: table.id,
    head: table.id === 0 ? null : table,
    first_broken_id: broken?.id ?? null,
    reason: broken?.reason ?? note,
  })
  if (key === null && table.id === 0 && headState.kind === 'missing') return report(null)
  if (key === null) {
    return report({
      id: null,
      reason:
        'The key keys/audit.key is missing, so nothing can be verified. That is no sign of tampering: put the key back from a copy. If there is none, the service makes a new key at its next start and says so in the log.',
    })
  }
  const anchor = await newestForeignAnchor(q, key)
  const isForeignKey =
    headState.kind === 'read' && headState.record.key_id !== keyIdOf(key) && anchor === null && table.id > 0
  if (isForeignKey) {
    const reason =
      'The key keys/audit.key is not the one the log was sealed with, so nothing can be verified. That is no sign of tampering with entries: put the right key back.'
    return report({ id: null, reason })
  }

  if (anchor !== null) {
    const digest = await digestTable(q, anchor.row.id - 1, pause)
    if (digest !== anchor.digest) {
      const reason = `An entry before ${anchor.row.id} was changed, added or removed after the chain started anew at entry ${anchor.row.id}`
      return report({ id: null, reason })
    }
  }
  const broken = await firstBreak({ q, key, from: anchor, upTo: table.id, pause })
  if (broken !== null) return report(broken)
  const finding = await examineHead(q, key, headState, now)
  // What was in order while the table was read and is not any more was appended meanwhile.
  if (finding !== null)
    return report({ id: finding.kind === 'head_missing' ? null : finding.id, reason: finding.detail })
  if (anchor === null) return report(null)
  const older = `Entries 1 to ${anchor.row.id - 1} were sealed with another key: they are unchanged since entry ${anchor.row.id}, but what they were before cannot be verified`
  if (anchor.row.resource === 'backup')
    return report(null, `${older} (a backup of another installation was restored).`)
  return report({
    id: null,
    reason: `${older}. The key was lost or replaced; that alone is no sign of tampering.`,
  })
}

type ForeignAnchor = { readonly row: AuditTable; readonly digest: string }

/** The newest genuine entry that says: what stands before was sealed with another key. */
async function newestForeignAnchor(q: Query, key: KeyObject): Promise<ForeignAnchor | null> {
  for (const row of await restoreEntries(q, {})) {
    if (row.after === null || !isSealed(key, row)) continue
    const after: unknown = JSON.parse(row.after)
    const digest = typeof after === 'object' && after !== null && 'digest' in after ? after.digest : null
    if (typeof digest === 'string') return { row, digest }
  }
  return null
}

type Walk = {
  readonly q: Query
  readonly key: KeyObject
  readonly from: ForeignAnchor | null
  readonly upTo: number
  readonly pause: () => Promise<void>
}

async function firstBreak({ q, key, from, upTo, pause }: Walk): Promise<Break | null> {
  let previous: Head = from === null ? genesis : { id: from.row.id - 1, hash: from.row.prev_hash }
  for (;;) {
    const rows = await entriesAfter(q, { after: previous.id, upTo, limit: chunkRows })
    for (const row of rows) {
      const isNext = row.id === previous.id + 1 && row.prev_hash === previous.hash
      if (!isNext || !isSealed(key, row)) return nameBreak({ q, key, row, previous, upTo, pause })
      previous = row
    }
    if (rows.length === 0) return null
    await pause()
  }
}
