import { join } from 'node:path'
import { closeSync, fsyncSync, openSync, writeSync } from '../../../../disk/fs.ts'
import type { StoreLogger } from '../../../types.ts'
import { fileNames, sequenceOf } from '../format/folder.ts'
import { encodeHeader, type Segment } from '../format/segment.ts'
import type { Replayed } from '../journal/replay.ts'
import type { FoundStore } from '../record/compare.ts'
import type { Engine } from '../sqlite/engine.ts'

/** Describes the store that was read from a folder, for comparison with the record. */
export function describeStore(engine: Engine, replayed: Replayed): Omit<FoundStore, 'storeId'> {
  return {
    transaction: replayed.transaction,
    segments: replayed.used.map(({ file, salt, start }) => ({
      sequence: sequenceOf(file),
      salt: salt ?? 0,
      start,
    })),
    auditEntry: newestAuditEntry(engine),
  }
}

/** Returns the number of the newest audit entry; 0 if there is none, or no audit table. */
function newestAuditEntry(engine: Engine): number {
  const [table] = engine.execute(`SELECT name FROM sqlite_master WHERE name = 'audit'`, []).rows
  if (table === undefined) return 0
  return Number(engine.execute('SELECT max(id) AS id FROM audit', []).rows[0]?.['id'] ?? 0)
}

/**
 * Repairs the header of a segment that was read with the salt from the record because its header is damaged.
 */
export function repairHeader(folder: string, { header }: Segment, logger: StoreLogger): void {
  const name = fileNames.segment(header.sequence)
  const bytes = encodeHeader(header)
  const handle = openSync(join(folder, name), 'r+')
  try {
    writeSync(handle, bytes, 0, bytes.length, 0)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  logger.warn({ file: name }, 'repaired the damaged header of a segment; its records are complete')
}
