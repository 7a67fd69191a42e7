import type { Excerpt } from '../../../../contract/runs/run-content.ts'
import type { Db } from '../../../db/types.ts'
import { createYield } from '../../../lib/async/yield.ts'
import { fail } from '../../../lib/fail.ts'
import type { Total } from '../../../lib/paging.ts'
import { type ContentQuery, isDecidedByIndex } from '../content/content-query.ts'
import type { ContentSearch } from '../content/content-search.ts'
import { runOwner } from '../payloads/capture.ts'
import type { RunFilter } from '../store/filters.ts'
import type { RunKey } from '../store/runs.store.ts'
import type { Direction } from '../store/windows.ts'
import { type Located, matchingAmong, readKeys } from './matches.read.ts'

export type ContentMatch = { readonly key: RunKey; readonly excerpt: Excerpt | null }

type Deps = { readonly db: Db; readonly content: Omit<ContentSearch, 'start' | 'listener' | 'close'> }

export type ContentOptions = {
  readonly direction: Direction
  readonly after: RunKey | undefined
  /** Number of matches that the caller probably needs: the size of the first batch. */
  readonly wanted: number
  /** False if matches are only counted: then payloads are read only if the index does not decide. */
  readonly hasExcerpts: boolean
  readonly signal?: AbortSignal | undefined
  /** Ends the search after about this number of candidates, and is set to 0 then. */
  readonly budget?: { candidates: number }
}

export type ContentPage = {
  readonly matches: readonly ContentMatch[]
  readonly total: Total
  /** Null if every captured text was searched. */
  readonly incomplete: { readonly indexed_bytes: number; readonly total_bytes: number } | null
}

/** Totals are exact up to these numbers. To count phrases, payloads are read. */
const maxCounted = 1000
const maxCountedPhrases = 100
/** A count reads at most about this number of candidates. */
const maxCountedCandidates = 5000

/** Returns up to `wanted` matches after a position, and the number of all matches. */
export async function readContentPage(
  deps: Deps,
  filter: RunFilter,
  query: ContentQuery | null,
  options: Omit<ContentOptions, 'hasExcerpts'>,
): Promise<ContentPage> {
  const before = await deps.content.catchUp()
  if (before === null || query === null) {
    return { matches: [], total: { total: 0, isCapped: false }, incomplete: null }
  }
  const matches: ContentMatch[] = []
  for await (const match of contentMatches(deps, filter, query, { ...options, hasExcerpts: true })) {
    matches.push(match)
    if (matches.length === options.wanted) break
  }
  const isAll = options.after === undefined && matches.length < options.wanted
  const total = isAll
    ? { total: matches.length, isCapped: false }
    : await countContent(deps, filter, query, options.signal)
  // A count that ended early may have seen less than the page.
  const known = options.after === undefined ? matches.length : 0
  const damaged = (await deps.content.progress())?.damaged
  const { indexedBytes, totalBytes } = before
  const isComplete = indexedBytes === totalBytes && damaged === before.damaged
  return {
    matches,
    total: { ...total, total: Math.max(total.total, known) },
    incomplete: isComplete ? null : { indexed_bytes: indexedBytes, total_bytes: totalBytes },
  }
}

/** Throws `content.incomplete` if captured texts are not all in the index. */
export async function requireCompleteContent(content: Deps['content']): Promise<void> {
  const progress = await content.catchUp()
  if (progress === null || progress.indexedBytes === progress.totalBytes) return
  const percent = Math.floor((progress.indexedBytes / progress.totalBytes) * 100)
  throw fail('content.incomplete', {
    detail: `${percent}% of the captured texts are indexed. Try again when the index is complete.`,
  })
}

async function countContent(
  deps: Deps,
  filter: RunFilter,
  query: ContentQuery,
  signal: AbortSignal | undefined,
): Promise<Total> {
  const max = isDecidedByIndex(query) ? maxCounted : maxCountedPhrases
  const budget = { candidates: maxCountedCandidates }
  const all = { direction: 'desc', after: undefined, wanted: max + 1, hasExcerpts: false, signal } as const
  let total = 0
  for await (const _ of contentMatches(deps, filter, query, { ...all, budget })) {
    total += 1
    if (total > max) return { total: max, isCapped: true }
  }
  return { total, isCapped: budget.candidates === 0 }
}

const maxBatch = 2000
/** If fewer candidates than one in this number pass the other filters, the next run that passes is looked up. */
const sparse = 16

/**
 * Yields the runs that match a filter and a search in captured text, in order. Candidates come from the
 * index; each is compared with its payload, so that every match is exact. A filter that few candidates pass
 * is used to skip others, so the work is bounded by the rarer of both.
 */
export async function* contentMatches(
  { db, content }: Deps,
  filter: RunFilter,
  query: ContentQuery,
  options: ContentOptions,
): AsyncGenerator<ContentMatch> {
  const { direction, signal, budget } = options
  const { from = 0, to = Number.MAX_SAFE_INTEGER } = filter
  const isRead = options.hasExcerpts || !isDecidedByIndex(query)
  const yieldIfDue = createYield()
  let after: RunKey | null = options.after ?? null
  let limit = Math.min(maxBatch, options.wanted)
  for (;;) {
    signal?.throwIfAborted()
    const candidates = await content.candidates(query, { direction, after, from, to, limit })
    const last = candidates.at(-1)
    const passed = await matchingAmong(db.read, filter, candidates)
    yield* matchesAmong(content, isRead ? query : null, passed)
    if (last === undefined || candidates.length < limit) return
    if (isSpent(budget, candidates.length)) return
    after = { created_at: last.created_at, id: last.id }
    if (passed.length * sparse < candidates.length) {
      const [next] = await readKeys(db.read, filter, direction, after, 1)
      if (next === undefined) return
      after = before(next, direction)
    }
    limit = Math.min(maxBatch, limit * 2)
    await yieldIfDue()
  }
}

/** Returns a position directly before a run. */
const before = ({ created_at, id }: RunKey, direction: Direction): RunKey => ({
  created_at,
  id: direction === 'desc' ? id + 1 : id - 1,
})

/** Subtracts candidates from a budget. Returns true if nothing is left. */
function isSpent(budget: ContentOptions['budget'], candidates: number): boolean {
  if (budget === undefined) return false
  budget.candidates = Math.max(0, budget.candidates - candidates)
  return budget.candidates === 0
}

/** Payloads read per call, so that the caller can stop when a page is full. */
const payloadsPerCall = 64

/** Yields the runs whose payloads match; all of them if there is no query. */
async function* matchesAmong(
  content: Deps['content'],
  query: ContentQuery | null,
  runs: readonly Located[],
): AsyncGenerator<ContentMatch> {
  if (query === null) {
    for (const key of runs) yield { key, excerpt: null }
    return
  }
  for (let from = 0; from < runs.length; from += payloadsPerCall) {
    const part = runs.slice(from, from + payloadsPerCall)
    const lines = part.map(({ id, day, offset, length }) => ({ owner: runOwner(id), day, offset, length }))
    const excerpts = await content.excerpts(query, lines)
    for (const [index, { created_at, id }] of part.entries()) {
      const excerpt = excerpts[index]
      if (excerpt) yield { key: { created_at, id }, excerpt }
    }
  }
}
