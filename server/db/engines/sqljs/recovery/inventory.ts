import { join } from 'node:path'
import { statSync } from '../../../../disk/fs.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { fileNames, readFolder } from '../format/folder.ts'
import { readSegment, recordsOf } from '../format/segment.ts'
import type { SegmentHints } from '../record/compare.ts'
import { readSidecar } from '../snapshot/snapshot.ts'

/** Facts from the files of a store about transactions that cannot be kept. */
export type Inventory = {
  /** The last transaction that existed according to any file. */
  readonly known: number
  /** Time of the last write to the journal; null without a journal. */
  readonly writtenAt: string | null
  /** Lines about files with content that cannot be kept. */
  readonly unusable: readonly string[]
}

/** Looks for transactions after `kept` in every file. */
export function takeInventory(folder: string, kept: number, hints: SegmentHints): Inventory {
  const { snapshots, segments } = readFolder(folder)
  let known = kept
  let writtenAt = 0
  const unusable: string[] = []
  for (const generation of snapshots) {
    const transaction = readSidecar(folder, generation)?.transaction ?? 0
    if (transaction <= kept) continue
    known = Math.max(known, transaction)
    unusable.push(
      `${fileNames.snapshot(generation)}: damaged; it contained all transactions up to ${transaction}`,
    )
  }
  for (const sequence of segments) {
    const found = inspectSegment(folder, sequence, hints)
    writtenAt = Math.max(writtenAt, found.writtenAt)
    known = Math.max(known, found.known)
    const line = describe(fileNames.segment(sequence), kept, found)
    if (line !== null) unusable.push(line)
  }
  return { known, writtenAt: writtenAt === 0 ? null : new Date(writtenAt).toISOString(), unusable }
}

type SegmentContent = {
  /** The last transaction according to its mark or its records. */
  readonly known: number
  /** The last transaction that can be read. */
  readonly readable: number
  readonly start: number
  readonly reason: string | null
  readonly writtenAt: number
}

function inspectSegment(folder: string, sequence: number, hints: SegmentHints): SegmentContent {
  const file = join(folder, fileNames.segment(sequence))
  const empty = { known: 0, readable: 0, start: 0, writtenAt: 0 }
  try {
    const writtenAt = statSync(file).mtimeMs
    const segment = readSegment(file, hints.saltOf(sequence))
    if (segment === undefined)
      return { ...empty, writtenAt, reason: 'its header or its marks cannot be read' }
    if (segment.mark === undefined) return { ...empty, writtenAt, reason: null }
    const { start, transaction } = segment.mark
    let readable = start
    for (const record of recordsOf(segment)) readable = record.transaction
    return { known: Math.max(transaction, readable), readable, start, writtenAt, reason: null }
  } catch (error) {
    return { ...empty, reason: messageOf(error) }
  }
}

function describe(
  name: string,
  kept: number,
  { known, readable, start, reason }: SegmentContent,
): string | null {
  if (reason !== null) return `${name}: ${reason}; the number of its transactions is unknown`
  if (known <= kept) return null
  if (start > kept) return `${name}: transactions ${start + 1} to ${known}, which follow a gap`
  const from = Math.max(kept, readable)
  return from === known
    ? `${name}: transactions ${kept + 1} to ${known}, which do not apply`
    : `${name}: transactions ${from + 1} to ${known} are damaged`
}
