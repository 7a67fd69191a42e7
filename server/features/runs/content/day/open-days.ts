import { join } from 'node:path'
import { syncFolder, writeFileDurably } from '../../../../disk/durable.ts'
import { mkdirSync, readdirSync, readFileSync, rmSync } from '../../../../disk/fs.ts'
import { isMissing } from '../../../../lib/files/is-missing.ts'
import { dayFileName } from '../../payloads/day-files.ts'
import { dayName } from '../../payloads/objects/day-name.ts'
import { readSegmentName } from '../segment/format.ts'
import { type BlockCache, DamagedSegment, openSegment, type Segment } from '../segment/read.ts'
import { isUnfinished } from '../segment/write.ts'
import type { DayIndex } from './day-index.ts'
import { fingerprintOf } from './payload-lines.ts'

/** The payload file of a day (days since 1970), and the end of the part to index, in bytes. */
export type DayEnd = { readonly day: number; readonly end: number }

export type IndexFolders = {
  /** Folder of the payload files. */
  readonly payloads: string
  /** Folder of the index. */
  readonly index: string
  /** The id of the store whose runs the index contains. Another one, as after a restore, makes it invalid. */
  readonly storeId: string
}

/** Contains the id of the store. */
const ownerFile = 'store.json'

/**
 * Opens the index of each day. Removes files that belong to no payload file, are unfinished or are damaged,
 * and reports damage.
 */
export function openDays(
  folders: IndexFolders,
  ends: readonly DayEnd[],
  cache: BlockCache,
  onDamage: (error: Error) => void,
): Map<number, DayIndex> {
  prepareFolder(folders)
  const byDate = new Map(ends.map((end) => [dayName(end.day), end]))
  const days = new Map(ends.map(({ day }) => [day, newDay(folders, day)]))
  const names = readdirSync(folders.index).filter((name) => name !== ownerFile)
  const surplus: string[] = names.filter(isUnfinished)
  for (const [date, files] of groupByDate(names)) {
    const end = byDate.get(date)
    const index = end === undefined ? undefined : days.get(end.day)
    if (end === undefined || index === undefined) {
      surplus.push(...files)
      continue
    }
    const opened = openSegments(folders, index, files, end.end, cache, onDamage)
    index.segments = opened.segments
    surplus.push(...opened.surplus)
  }
  for (const name of surplus) rmSync(join(folders.index, name), { force: true })
  if (surplus.length > 0) syncFolder(folders.index)
  return days
}

export function newDay({ payloads }: IndexFolders, day: number): DayIndex {
  return {
    day,
    date: dayName(day),
    payloadFile: join(payloads, dayFileName(day)),
    segments: [],
    tail: null,
  }
}

/** Creates the folder. Removes an index of another store. */
function prepareFolder({ payloads, index, storeId }: IndexFolders): void {
  mkdirSync(index, { recursive: true, mode: 0o700 })
  if (readOwner(index) === storeId) return
  rmSync(index, { recursive: true, force: true })
  mkdirSync(index, { recursive: true, mode: 0o700 })
  syncFolder(payloads)
  writeFileDurably(index, ownerFile, `${JSON.stringify({ store: storeId })}\n`)
}

function readOwner(folder: string): string | null {
  try {
    const { store } = JSON.parse(readFileSync(join(folder, ownerFile), 'utf8')) as { store?: unknown }
    return typeof store === 'string' ? store : null
  } catch {
    // A missing or damaged file: the index is built again.
    return null
  }
}

function groupByDate(names: readonly string[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const name of names) {
    const date = readSegmentName(name)?.date
    if (date !== undefined) groups.set(date, [...(groups.get(date) ?? []), name])
  }
  return groups
}

/**
 * Opens the segments of a day. After a crash, a merged segment may exist beside those that it
 * replaces: the widest one is used.
 */
function openSegments(
  folders: IndexFolders,
  { payloadFile }: DayIndex,
  names: readonly string[],
  end: number,
  cache: BlockCache,
  onDamage: (error: Error) => void,
): { segments: Segment[]; surplus: string[] } {
  const segments: Segment[] = []
  const surplus: string[] = []
  const ranges = names.flatMap((name) => {
    const range = readSegmentName(name)
    return range === null ? [] : [{ name, range }]
  })
  ranges.sort((a, b) => a.range.from - b.range.from || b.range.to - a.range.to)
  let covered = 0
  for (const { name, range } of ranges) {
    const { from, to } = range
    const segment = from < covered ? null : openOrReport(join(folders.index, name), { from, to })
    if (segment === null) surplus.push(name)
    else {
      segments.push(segment)
      covered = to
    }
  }
  return { segments, surplus }

  function openOrReport(file: string, range: { from: number; to: number }): Segment | null {
    try {
      const segment = openSegment(file, range, cache)
      const { head, tail } = range.to <= end ? fingerprintOf(payloadFile, range) : { head: -1, tail: -1 }
      if (segment.fingerprint.head === head && segment.fingerprint.tail === tail) return segment
      throw new DamagedSegment(file, 'the payload file was replaced')
    } catch (error) {
      if (!(error instanceof DamagedSegment)) throw error
      onDamage(error)
      return null
    }
  }
}

/** Removes the files of a day by their names, so that an unfinished one is not left behind. */
export function removeFilesOf(folder: string, day: number): void {
  const date = dayName(day)
  const files = namesIn(folder).filter((name) => name.startsWith(`${date}.`))
  for (const name of files) rmSync(join(folder, name), { force: true })
  if (files.length > 0) syncFolder(folder)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
