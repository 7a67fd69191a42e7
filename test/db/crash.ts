import { closeSync, cpSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { RECORDS_AT, readSegment, recordsOf } from '../../server/db/engines/sqljs/format/segment.ts'
import { filesOf, newFolder } from './store.ts'

/** Copies the folder as a crash at this moment would leave it: only what is on disk. */
export function copyAfterCrash(folder: string): string {
  const copy = newFolder()
  cpSync(folder, copy, { recursive: true, filter: (name) => !['owner.json', 'run'].includes(basename(name)) })
  return copy
}

/**
 * Returns the last segment with a record, the offsets of its records, and the offset up to which its mark
 * declares records as acknowledged.
 */
export function lastRecords(folder: string): { file: string; starts: number[]; end: number; marked: number } {
  for (const file of filesOf(folder, /^journal-.*\.log$/).reverse()) {
    const segment = readSegment(file)
    if (segment?.mark === undefined) continue
    const ends = [...recordsOf(segment)].map(({ end }) => end)
    if (ends.length === 0) continue
    return {
      file,
      starts: [RECORDS_AT, ...ends.slice(0, -1)],
      end: ends.at(-1) ?? 0,
      marked: segment.mark.offset,
    }
  }
  throw new Error('no records')
}

export function overwrite(file: string, at: number, bytes: Uint8Array): void {
  const handle = openSync(file, 'r+')
  writeSync(handle, bytes, 0, bytes.length, at)
  closeSync(handle)
}

/** Flips one bit, the smallest possible damage. */
export function flipBit(file: string, at: number): void {
  const byte = readFileSync(file)[at] ?? 0
  overwrite(file, at, Uint8Array.of(byte ^ 1))
}

export function truncate(file: string, length: number): void {
  writeFileSync(file, readFileSync(file).subarray(0, length))
}
