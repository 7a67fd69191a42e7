import { basename } from 'node:path'
import { StoreError } from '../../../errors.ts'
import { sequenceOf } from '../format/folder.ts'
import { type Mark, readSegment, type Segment, type SegmentHeader } from '../format/segment.ts'
import { noHints, type SegmentHints } from '../record/compare.ts'
import type { Engine } from '../sqlite/engine.ts'
import { type Applier, applySegment, createApplier, damagedSegment } from './apply-segment.ts'

export type UsedSegment = {
  readonly file: string
  /** The last transaction before the segment; `end` is the last one in it. */
  readonly start: number
  readonly end: number
  /** Undefined if the snapshot includes the whole segment, so that it was not read. */
  readonly salt: number | undefined
}

export type Replayed = {
  /** The last transaction applied. */
  readonly transaction: number
  readonly count: number
  readonly bytes: number
  /** The end of the last segment, and whether invalid bytes follow it. */
  readonly tail:
    | {
        readonly file: string
        readonly offset: number
        readonly hasInvalidBytes: boolean
        readonly isClosed: boolean
      }
    | undefined
  /** Segments with transactions, oldest first. */
  readonly used: readonly UsedSegment[]
  /** Unreadable segments without acknowledged transactions that the state lacks. */
  readonly unneeded: readonly string[]
  /** Segments that were read although their header is damaged. */
  readonly repairable: readonly Segment[]
}

export type ReplayOptions = {
  readonly hints?: SegmentHints
  /** The last transaction to apply. */
  readonly until?: number
  /** Receives the number of each transaction applied; after a failure the last one that can be proven. */
  readonly progress?: { transaction: number }
}

type State = {
  readonly applier: Applier
  readonly sources: readonly Source[]
  readonly hints: SegmentHints
  readonly from: number
  readonly until: number
  readonly progress: { transaction: number }
  readonly used: UsedSegment[]
  readonly unneeded: string[]
  readonly repairable: Segment[]
  bytes: number
  tail: Replayed['tail']
  /** True if the previous segment is not closed. A segment is closed before the next one is used. */
  isPreviousOpen: boolean
}

/**
 * Applies every transaction after `from` in the segments, oldest first. Throws at damage, except in the
 * unsynced tail of the last segment, because acknowledged data must not be left out silently.
 */
export function replay(
  engine: Engine,
  files: readonly string[],
  from: number,
  options: ReplayOptions = {},
): Replayed {
  const { hints = noHints, until = Number.POSITIVE_INFINITY } = options
  const progress = options.progress ?? { transaction: from }
  progress.transaction = from
  const sources = files.map((file) => sourceOf(file, hints))
  const applier = createApplier(engine)
  const found = { used: [], unneeded: [], repairable: [], bytes: 0, tail: undefined, isPreviousOpen: false }
  const state: State = { applier, sources, hints, from, until, progress, ...found }
  for (const [index, source] of sources.entries()) {
    if (progress.transaction >= until) break
    sources[index - 1]?.release()
    replaySource(state, source, nextUsed(sources, index))
  }
  const { bytes, tail, used, unneeded, repairable } = state
  const { transaction } = progress
  return { transaction, count: applier.count(), bytes, tail, used, unneeded, repairable }
}

type NextSegment = { readonly file: string; readonly header: SegmentHeader; readonly start: number }

function nextUsed(sources: readonly Source[], index: number): NextSegment | undefined {
  for (const later of sources.slice(index + 1)) {
    const segment = later.segment()
    if (segment?.mark !== undefined)
      return { file: later.file, header: segment.header, start: segment.mark.start }
  }
  return undefined
}

function replaySource(state: State, source: Source, next: NextSegment | undefined): void {
  const { file } = source
  // The snapshot includes this segment. It is not read, so damage in it does no harm.
  if (next !== undefined && next.start <= state.from) {
    state.used.push({ file, start: 0, end: next.start, salt: undefined })
    return
  }
  const segment = source.segment()
  if (segment === undefined) skipUnreadable(state, file, next)
  else if (segment.mark !== undefined) replaySegment(state, { file, segment, mark: segment.mark, next })
}

/** Throws if the unreadable segment may have something acknowledged that the state lacks. */
function skipUnreadable(
  { hints, progress, isPreviousOpen, unneeded }: State,
  file: string,
  next: NextSegment | undefined,
): void {
  if (isNeeded(hints, file, progress.transaction, next?.start, isPreviousOpen))
    throw damagedSegment(file, 0, progress.transaction, 'its header cannot be read')
  unneeded.push(file)
}

type Current = {
  readonly file: string
  readonly segment: Segment
  readonly mark: Mark
  readonly next: NextSegment | undefined
}

function replaySegment(state: State, current: Current): void {
  const { applier, progress, from, until } = state
  const { file, segment, mark, next } = current
  if (mark.start > progress.transaction) throw missing(file, progress.transaction, mark.start)
  if (segment.isHeaderDamaged) state.repairable.push(segment)

  const isTakenOver = next !== undefined && isOfAnotherOwner(next.header, segment)
  // Later records of an owner that was replaced were never acknowledged. The next segment replaces them.
  const last = isTakenOver ? Math.min(until, next.start) : until
  const read = applySegment({ applier, segment, file, progress, until: last })
  state.bytes += read.bytes
  const { isClosed } = mark
  const isInSnapshot = isClosed && mark.transaction <= from
  const end = isInSnapshot ? mark.transaction : read.last
  state.used.push({ file, start: mark.start, end, salt: segment.header.salt })
  if (progress.transaction >= until) return
  const mayEndEarly = isInSnapshot || isTakenOver
  checkEnd(current, { offset: read.offset, end, mayEndEarly, transaction: progress.transaction })
  if (next === undefined) {
    const hasInvalidBytes = !isClosed && !isZero(segment, read.offset)
    state.tail = { file, offset: read.offset, hasInvalidBytes, isClosed }
  }
  state.isPreviousOpen = !isClosed
}

/** Throws if acknowledged records of the segment do not verify, or if the next one leaves a gap. */
function checkEnd(
  { file, mark, next }: Current,
  read: {
    readonly offset: number
    readonly end: number
    readonly mayEndEarly: boolean
    readonly transaction: number
  },
): void {
  const { offset, end } = read
  const isCutShort = offset < mark.offset && !read.mayEndEarly
  const leavesGap = next !== undefined && end !== next.start
  if (isCutShort || (!mark.isClosed && leavesGap)) {
    const reason = 'a record that had been acknowledged does not verify'
    throw damagedSegment(file, offset, read.transaction, reason)
  }
  if (leavesGap) throw missing(next.file, end, next.start)
}

/** Returns false if an unreadable segment provably has nothing acknowledged after `transaction`. */
function isNeeded(
  hints: SegmentHints,
  file: string,
  transaction: number,
  nextStart: number | undefined,
  isPreviousOpen: boolean,
): boolean {
  if (nextStart !== undefined) return nextStart > transaction
  return !(hints.isUnneeded(sequenceOf(file), transaction) ?? isPreviousOpen)
}

type Source = { readonly file: string; segment(): Segment | undefined; release(): void }

/** Reads its segment when first used. Only the current and the next segment are in memory. */
function sourceOf(file: string, hints: SegmentHints): Source {
  let read: { readonly segment: Segment | undefined } | undefined
  return {
    file,
    segment() {
      read ??= { segment: readSegment(file, hints.saltOf(sequenceOf(file))) }
      return read.segment
    },
    release() {
      read = undefined
    },
  }
}

function isOfAnotherOwner(later: SegmentHeader, { header, isHeaderDamaged }: Segment): boolean {
  return !isHeaderDamaged && (later.epoch !== header.epoch || later.instance !== header.instance)
}

function isZero(segment: Segment, offset: number): boolean {
  const rest = segment.bytes.subarray(offset, offset + 4096)
  return rest.equals(Buffer.alloc(rest.length))
}

function missing(file: string, transaction: number, start: number): StoreError {
  return new StoreError(
    'damaged',
    `The journal has a gap: transactions ${transaction + 1} to ${start} are missing before ${basename(file)}.`,
  )
}
