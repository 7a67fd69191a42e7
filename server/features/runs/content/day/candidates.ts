import { LRUCache } from 'lru-cache'
import type { Yield } from '../../../../lib/async/yield.ts'
import type { IndexTerms } from '../content-query.ts'
import { compareKeys, type Document, type Key } from '../segment/format.ts'
import { matchesIn, positionAfter, type Source } from '../segment/source.ts'
import { type DayIndex, sourcesOf } from './day-index.ts'

/** A captured run that may match. */
export type Candidate = Document & { readonly day: number }

/** The order and range of the candidates to return. */
export type CandidateOptions = {
  readonly direction: 'asc' | 'desc'
  /** Return candidates after this position of the order. */
  readonly after: Key | null
  /** Epoch milliseconds; `to` is exclusive. */
  readonly from: number
  readonly to: number
  readonly limit: number
}

/**
 * A cache of the numbers of matching documents, by source and query. A page is read in several parts, and
 * most queries ask for several pages.
 */
export type MatchCache = LRUCache<string, Uint16Array>
const maxCachedBytes = 8 * 1024 * 1024
export const createMatchCache = (): MatchCache =>
  new LRUCache({ maxSize: maxCachedBytes, sizeCalculation: ({ byteLength }) => byteLength + 1 })

type Cursor = {
  readonly source: Source
  readonly day: number
  readonly numbers: Uint16Array
  /** Position in `numbers`. */
  at: number
  current: Document
}

/** The part of the order to return: the keys for which both functions return true. */
type Bounds = { readonly isAfterStart: (key: Key) => boolean; readonly isBeforeEnd: (key: Key) => boolean }

/**
 * Returns up to `limit` candidates in order. A source is read only when its first document may be the next
 * one, so a common word reads few segments.
 */
export async function findCandidates(
  days: Iterable<DayIndex>,
  terms: IndexTerms,
  options: CandidateOptions,
  cache: MatchCache,
  yieldIfDue: Yield,
): Promise<Candidate[]> {
  const order = orderOf(options)
  const waiting = [...days]
    .flatMap((index) => sourcesOf(index).map((source) => ({ source, day: index.day })))
    .flatMap(({ source, day }) => {
      const [first, last] =
        options.direction === 'desc' ? [source.newest, source.oldest] : [source.oldest, source.newest]
      const isNeeded = first !== null && last !== null && order.isAfterStart(last) && order.isBeforeEnd(first)
      return isNeeded ? [{ source, day, first }] : []
    })
    .sort((a, b) => order.compare(a.first, b.first))
  const open: Cursor[] = []
  const found: Candidate[] = []
  let next = 0
  while (found.length < options.limit) {
    const head = leastOf(open, order.compare)
    const upcoming = waiting[next]
    if (upcoming !== undefined && (head === null || order.compare(upcoming.first, head.current) < 0)) {
      next += 1
      const cursor = openCursor(upcoming, terms, options, cache)
      if (cursor !== null) open.push(cursor)
      await yieldIfDue()
      continue
    }
    if (head === null || !order.isBeforeEnd(head.current)) break
    found.push({ ...head.current, day: head.day })
    if (!advance(head, options.direction)) open.splice(open.indexOf(head), 1)
  }
  return found
}

function orderOf({ direction, after, from, to }: CandidateOptions): Bounds & {
  readonly compare: (a: Key, b: Key) => number
} {
  const compare = (a: Key, b: Key) => (direction === 'desc' ? compareKeys(b, a) : compareKeys(a, b))
  return {
    compare,
    isAfterStart: (key) =>
      (after === null || compare(key, after) > 0) &&
      (direction === 'desc' ? key.created_at < to : key.created_at >= from),
    isBeforeEnd: (key) => (direction === 'desc' ? key.created_at >= from : key.created_at < to),
  }
}

function leastOf(cursors: readonly Cursor[], compare: (a: Key, b: Key) => number): Cursor | null {
  let least: Cursor | null = null
  for (const cursor of cursors) {
    if (least === null || compare(cursor.current, least.current) < 0) least = cursor
  }
  return least
}

function openCursor(
  { source, day }: { readonly source: Source; readonly day: number },
  terms: IndexTerms,
  { direction, after, from, to }: CandidateOptions,
  cache: MatchCache,
): Cursor | null {
  const name = `${source.name}\n${JSON.stringify(terms)}`
  const numbers = cache.get(name) ?? matchesIn(source, terms)
  cache.set(name, numbers)
  const at =
    direction === 'desc'
      ? Math.max(
          positionAfter(source, numbers, { created_at: to, id: 0 }, true),
          after === null ? 0 : positionAfter(source, numbers, after, false),
        )
      : Math.min(
          // Documents are stored newest first, so the oldest ones are at the end.
          positionAfter(source, numbers, { created_at: from, id: 0 }, false) - 1,
          after === null ? numbers.length - 1 : positionAfter(source, numbers, after, true) - 1,
        )
  const number = numbers[at]
  if (number === undefined) return null
  return { source, day, numbers, at, current: source.documentAt(number) }
}

/** Moves to the next document. Returns false at the end. */
function advance(cursor: Cursor, direction: 'asc' | 'desc'): boolean {
  cursor.at += direction === 'desc' ? 1 : -1
  const number = cursor.numbers[cursor.at]
  if (number === undefined) return false
  cursor.current = cursor.source.documentAt(number)
  return true
}
