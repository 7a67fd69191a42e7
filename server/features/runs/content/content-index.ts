import type { Excerpt } from '../../../../contract/runs/run-content.ts'
import { rmSync } from '../../../disk/fs.ts'
import { createSerialQueue, type SerialQueue } from '../../../lib/async/serial-queue.ts'
import { createYield } from '../../../lib/async/yield.ts'
import { isMissing } from '../../../lib/files/is-missing.ts'
import { type ContentQuery, indexTermsOf } from './content-query.ts'
import {
  type Candidate,
  type CandidateOptions,
  createMatchCache,
  findCandidates,
  type MatchCache,
} from './day/candidates.ts'
import {
  compact,
  coveredBytes,
  type DayDeps,
  type DayIndex,
  flush,
  gapOf,
  indexLines,
  isCompactable,
  type RowsOf,
} from './day/day-index.ts'
import { type DayEnd, type IndexFolders, newDay, openDays, removeFilesOf } from './day/open-days.ts'
import { type ContentLine, readExcerpts } from './day/read-excerpts.ts'
import { type BlockCache, createBlockCache, DamagedSegment } from './segment/read.ts'

/** The part of the payload files that is in the index, in bytes. */
export type IndexProgress = {
  readonly indexedBytes: number
  readonly totalBytes: number
  /** Number of damaged segments found so far. A search during which it changes may miss runs. */
  readonly damaged: number
}

/**
 * The search index of the payload files: an inverted index per file, in segments that are written once.
 * Payload files are the source: missing and damaged parts are built again from them.
 */
export type ContentIndex = {
  /** Indexes the payload files up to these ends, in the background. Days that are not listed are removed. */
  follow(ends: readonly DayEnd[]): void
  /** Waits until these ends are indexed, or for `waitMs`. */
  catchUp(ends: readonly DayEnd[], waitMs: number): Promise<IndexProgress>
  /** Returns candidates in order; fewer than `limit` if there are no more. */
  candidates(query: ContentQuery, options: CandidateOptions): Promise<Candidate[]>
  /** Returns an excerpt for each payload that matches, and null for others. */
  excerpts(query: ContentQuery, lines: readonly ContentLine[]): Promise<(Excerpt | null)[]>
  /** Removes everything about a day. Call before its payload file is removed. */
  remove(day: number): Promise<void>
  close(): Promise<void>
}

export type ContentIndexOptions = IndexFolders & {
  readonly rowsOf: RowsOf
  /** Receives damage that is repaired, and failures that are retried. */
  readonly onError: (error: Error) => void
  /** Minimum time before work continues after a failure, in milliseconds. */
  readonly retryMs?: number
}

type State = {
  readonly options: ContentIndexOptions
  readonly deps: DayDeps
  readonly blocks: BlockCache
  readonly matches: MatchCache
  /** Changes of the index run one after the other. */
  readonly queue: SerialQueue
  /** Null before the folder was read. */
  days: Map<number, DayIndex> | null
  ends: readonly DayEnd[]
  working: Promise<void> | null
  /** Called after each piece of work. */
  readonly onStep: Set<() => void>
  /** Work is paused until this time of `performance.now()`. */
  pausedUntil: number
  damaged: number
  isClosed: boolean
}

const defaultRetryMs = 10_000
/** Minimum size of a tail that is written at close. Indexing a smaller one again is cheaper. */
const minFlushedBytes = 256 * 1024
/** Attempts of a search while segments are merged. */
const maxAttempts = 5

export function createContentIndex(options: ContentIndexOptions): ContentIndex {
  const blocks = createBlockCache()
  const state: State = {
    options,
    deps: { folder: options.index, cache: blocks, rowsOf: options.rowsOf },
    blocks,
    matches: createMatchCache(),
    queue: createSerialQueue(),
    days: null,
    ends: [],
    working: null,
    onStep: new Set(),
    pausedUntil: 0,
    damaged: 0,
    isClosed: false,
  }
  return {
    follow: (ends) => follow(state, ends),
    catchUp: (ends, waitMs) => catchUp(state, ends, waitMs),
    candidates: (query, candidateOptions) => candidates(state, query, candidateOptions),
    excerpts: (query, lines) => readExcerpts(options.payloads, query, lines),
    remove: (day) => state.queue.run(async () => removeDay(state, day)),
    close: () => close(state),
  }
}

function follow(state: State, ends: readonly DayEnd[]): void {
  state.ends = [...ends].sort((a, b) => b.day - a.day)
  if (state.isClosed || performance.now() < state.pausedUntil) return
  state.working ??= work(state)
}

/** Indexes until everything is done, the newest day first. */
async function work(state: State): Promise<void> {
  let isDone = false
  while (!isDone && !state.isClosed) {
    try {
      isDone = !(await state.queue.run(() => step(state)))
    } catch (error) {
      isDone = !(error instanceof DamagedSegment && dropDamaged(state, error))
      if (isDone) pause(state, error)
    }
    for (const notify of state.onStep) notify()
  }
  state.working = null
}

/**
 * Stops work for a while after a failure. What is in memory is kept, unless a file or the folder is missing:
 * then the folder is read again.
 */
function pause(state: State, error: unknown): void {
  if (isMissing(error)) state.days = null
  state.pausedUntil = performance.now() + (state.options.retryMs ?? defaultRetryMs)
  state.options.onError(error instanceof Error ? error : new Error(String(error)))
}

/** Does the next piece of work. Returns false if there is none. */
async function step(state: State): Promise<boolean> {
  const yieldIfDue = createYield()
  const days = openedDays(state)
  for (const day of days.keys()) {
    if (!state.ends.some((end) => end.day === day)) removeDay(state, day)
  }
  const [newest] = state.ends
  for (const { day, end } of state.ends) {
    const index = days.get(day) ?? newDay(state.options, day)
    days.set(day, index)
    const gap = gapOf(index, end)
    if (gap !== null) {
      await indexLines(state.deps, index, gap, yieldIfDue)
      return true
    }
    // Compact before the next day, so that only the newest day and the current one have a tail in memory.
    if (day !== newest?.day && isCompactable(index)) {
      await compact(state.deps, index, yieldIfDue)
      return true
    }
  }
  return false
}

function openedDays(state: State): Map<number, DayIndex> {
  state.days ??= openDays(state.options, state.ends, state.blocks, state.options.onError)
  return state.days
}

async function catchUp(state: State, ends: readonly DayEnd[], waitMs: number): Promise<IndexProgress> {
  follow(state, ends)
  const isComplete = () => indexedBytes(state, ends) === totalBytes
  const totalBytes = ends.reduce((sum, { end }) => sum + end, 0)
  if (waitMs > 0 && state.working !== null && !isComplete()) {
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        state.onStep.delete(onStep)
        resolve()
      }
      const onStep = () => {
        if (isComplete() || state.isClosed || performance.now() < state.pausedUntil) end()
      }
      const timer = setTimeout(end, waitMs)
      state.onStep.add(onStep)
    })
  }
  return { indexedBytes: indexedBytes(state, ends), totalBytes, damaged: state.damaged }
}

function indexedBytes({ days }: State, ends: readonly DayEnd[]): number {
  return ends.reduce((sum, { day, end }) => {
    const index = days?.get(day)
    return sum + (index === undefined ? 0 : Math.min(end, coveredBytes(index)))
  }, 0)
}

async function candidates(
  state: State,
  query: ContentQuery,
  options: CandidateOptions,
): Promise<Candidate[]> {
  const terms = indexTermsOf(query)
  for (let attempt = 1; ; attempt += 1) {
    const days = [...(state.days?.values() ?? [])]
    try {
      return await findCandidates(days, terms, options, state.matches, createYield())
    } catch (error) {
      if (!(error instanceof DamagedSegment) || attempt === maxAttempts) throw error
      // If it is not in use, it was merged meanwhile, and the next attempt reads the new files.
      dropDamaged(state, error)
    }
  }
}

/** Removes a damaged segment, so that its payloads are indexed again. Returns false if it is not in use. */
function dropDamaged(state: State, error: DamagedSegment): boolean {
  for (const index of state.days?.values() ?? []) {
    if (!index.segments.some(({ file }) => file === error.file)) continue
    index.segments = index.segments.filter(({ file }) => file !== error.file)
    rmSync(error.file, { force: true })
    state.damaged += 1
    state.options.onError(error)
    follow(state, state.ends)
    return true
  }
  return false
}

function removeDay(state: State, day: number): void {
  state.days?.delete(day)
  state.ends = state.ends.filter((end) => end.day !== day)
  removeFilesOf(state.options.index, day)
}

async function close(state: State): Promise<void> {
  state.isClosed = true
  await state.working
  for (const index of state.days?.values() ?? []) {
    const { tail } = index
    if (tail === null || tail.range.to - tail.range.from < minFlushedBytes) continue
    await flush(state.deps, index, createYield())
  }
}
