import { join } from 'node:path'
import { syncFolder } from '../../../../disk/durable.ts'
import { rmSync } from '../../../../disk/fs.ts'
import type { Yield } from '../../../../lib/async/yield.ts'
import { type Key, maxDocuments, type Range, segmentName } from '../segment/format.ts'
import { mergedContent } from '../segment/merge.ts'
import { type BlockCache, openSegment, type Segment } from '../segment/read.ts'
import type { Source } from '../segment/source.ts'
import { createTail, type Tail } from '../segment/tail.ts'
import { writeSegment } from '../segment/write.ts'
import { fingerprintOf, type PayloadLine, readLines } from './payload-lines.ts'

/** A line of a payload file whose run is looked up. `id` is null in lines of version 0.1. */
export type LineRef = { readonly id: number | null; readonly offset: number }
/** Returns the runs that refer to these lines, by offset. */
export type RowsOf = (day: number, refs: readonly LineRef[]) => Promise<ReadonlyMap<number, Key>>

export type DayDeps = {
  readonly folder: string
  readonly cache: BlockCache
  readonly rowsOf: RowsOf
}

/** The index of one payload file. */
export type DayIndex = {
  readonly day: number
  readonly date: string
  readonly payloadFile: string
  /** In the order of the payload file, without overlaps. */
  segments: Segment[]
  /** Payloads that are not in a segment. */
  tail: Tail | null
}

/** Number of consecutive segments of similar size that are merged into one. */
const mergeCount = 4
const smallestTierBytes = 1024 * 1024

export const sourcesOf = ({ segments, tail }: DayIndex): Source[] =>
  tail === null ? segments : [...segments, tail]

/** Returns the first range below `end` that is not in the index. */
export function gapOf(index: DayIndex, end: number): Range | null {
  let from = 0
  for (const range of rangesOf(index)) {
    if (range.from > from) return { from, to: Math.min(range.from, end) }
    from = range.to
  }
  return from < end ? { from, to: end } : null
}

function rangesOf({ segments, tail }: DayIndex): Range[] {
  const ranges: Range[] = segments.map(({ from, to }) => ({ from, to }))
  if (tail !== null) ranges.push(tail.range)
  return ranges.sort((a, b) => a.from - b.from)
}

/** Returns the number of bytes of the payload file that are in the index. */
export const coveredBytes = (index: DayIndex): number =>
  rangesOf(index).reduce((sum, { from, to }) => sum + to - from, 0)

/** Indexes the next lines of a gap. Returns the number of bytes. */
export async function indexLines(
  deps: DayDeps,
  index: DayIndex,
  gap: Range,
  yieldIfDue: Yield,
): Promise<number> {
  if (index.tail !== null && (index.tail.isFull || index.tail.range.to !== gap.from)) {
    await flush(deps, index, yieldIfDue)
  }
  const { lines, to } = readLines(index.payloadFile, gap)
  const rows = await deps.rowsOf(index.day, lines.flatMap(refOf))
  const tail = index.tail ?? createTail(gap.from)
  index.tail = tail
  for (const line of lines) {
    const row = rows.get(line.offset)
    if (row === undefined) continue
    tail.add({ created_at: row.created_at, id: row.id, offset: line.offset, length: line.length }, line)
    await yieldIfDue()
  }
  tail.advance(to)
  // A segment follows, so nothing else will be added to the tail.
  const isClosed = to === gap.to && index.segments.some(({ from }) => from === to)
  if (tail.isFull || isClosed) await flush(deps, index, yieldIfDue)
  return to - gap.from
}

/** Returns the run of a line; nothing for the texts of an execution. */
export function refOf({ owner, offset }: PayloadLine): LineRef[] {
  if (owner === null) return [{ id: null, offset }]
  const [, id] = /^run:(\d+)$/.exec(owner) ?? []
  return id === undefined ? [] : [{ id: Number(id), offset }]
}

/** Writes the tail as a segment, and merges small segments. */
export async function flush(deps: DayDeps, index: DayIndex, yieldIfDue: Yield): Promise<void> {
  const { tail } = index
  if (tail === null) return
  const { from, to } = tail.range
  if (to > from) {
    const segment = await write(deps, index, { from, to }, tail.content(), yieldIfDue)
    index.segments = [...index.segments, segment].sort((a, b) => a.from - b.from)
  }
  index.tail = null
  for (let merged = mergeable(index.segments); merged !== null; merged = mergeable(index.segments)) {
    await merge(deps, index, merged, yieldIfDue)
  }
}

/** Merges all segments that can be merged. Called for a day for which no more payloads are expected. */
export async function compact(deps: DayDeps, index: DayIndex, yieldIfDue: Yield): Promise<void> {
  await flush(deps, index, yieldIfDue)
  for (let pair = joinablePair(index.segments); pair !== null; pair = joinablePair(index.segments)) {
    await merge(deps, index, pair, yieldIfDue)
  }
}

/** Returns true if `compact` has something to do. */
export const isCompactable = ({ segments, tail }: DayIndex): boolean =>
  tail !== null || joinablePair(segments) !== null

async function write(
  { folder, cache }: DayDeps,
  { date, payloadFile }: DayIndex,
  range: Range,
  content: ReturnType<Tail['content']>,
  yieldIfDue: Yield,
): Promise<Segment> {
  const file = join(folder, segmentName(date, range))
  await writeSegment(file, { ...content, fingerprint: fingerprintOf(payloadFile, range) }, yieldIfDue)
  return openSegment(file, range, cache)
}

async function merge(
  deps: DayDeps,
  index: DayIndex,
  merged: readonly Segment[],
  yieldIfDue: Yield,
): Promise<void> {
  const [first, last] = [merged[0], merged.at(-1)]
  if (first === undefined || last === undefined) return
  const range = { from: first.from, to: last.to }
  const segment = await write(deps, index, range, mergedContent(merged), yieldIfDue)
  index.segments = [...index.segments.filter((each) => !merged.includes(each)), segment].sort(
    (a, b) => a.from - b.from,
  )
  for (const { file } of merged) rmSync(file, { force: true })
  syncFolder(deps.folder)
}

const sizeOf = ({ from, to }: Range): number => to - from
const tierOf = (range: Range): number =>
  Math.max(0, Math.floor(Math.log(sizeOf(range) / smallestTierBytes) / Math.log(mergeCount)))

/**
 * Returns adjacent segments of which none is in a higher tier than the first, so that each payload is merged
 * only a few times. Null if there are none.
 */
function mergeable(segments: readonly Segment[]): readonly Segment[] | null {
  for (let at = 0; at + mergeCount <= segments.length; at += 1) {
    const group = segments.slice(at, at + mergeCount)
    const [first] = group
    const tier = first === undefined ? 0 : tierOf(first)
    if (areJoinable(group) && group.every((segment) => tierOf(segment) <= tier)) return group
  }
  return null
}

function joinablePair(segments: readonly Segment[]): readonly Segment[] | null {
  for (let at = 0; at + 2 <= segments.length; at += 1) {
    const pair = segments.slice(at, at + 2)
    if (areJoinable(pair)) return pair
  }
  return null
}

/** Returns true if the segments have no gap between them and together few enough documents. */
const areJoinable = (segments: readonly Segment[]): boolean =>
  segments.reduce((sum, { count }) => sum + count, 0) <= maxDocuments &&
  segments.every(({ to }, index) => index === segments.length - 1 || segments[index + 1]?.from === to)
