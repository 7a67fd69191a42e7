import type { IndexTerms } from '../content-query.ts'
import { compareKeys, type Document, type Key } from './format.ts'

/** A part of the index that can be searched: a segment, or payloads that are not in a segment yet. */
export type Source = {
  /** Unique for its content: results are cached by it. */
  readonly name: string
  readonly count: number
  readonly newest: Key | null
  readonly oldest: Key | null
  /** Returns a document by number; 0 is the newest. */
  documentAt(number: number): Document
  /** Yields the ascending numbers of the documents of a term; nothing for an unknown term. */
  postings(term: string): Iterable<Uint16Array>
  /** Yields the numbers of the documents of each term with a prefix. */
  withPrefix(prefix: string): Iterable<Uint16Array>
}

/** Returns the numbers of the documents with all terms. */
export function matchesIn(source: Source, { exact, prefixes }: IndexTerms): Uint16Array {
  const lists: Uint16Array[] = []
  for (const term of exact) {
    const [found] = source.postings(term)
    if (found === undefined) return new Uint16Array(0)
    lists.push(found)
  }
  // The shortest list first, so that the next comparisons are short.
  lists.sort((a, b) => a.length - b.length)
  let result = lists.reduce<Uint16Array | null>((all, list) => (all === null ? list : both(all, list)), null)
  for (const prefix of prefixes) {
    if (result?.length === 0) return result
    const list = union(source, prefix)
    result = result === null ? list : both(result, list)
  }
  return result ?? new Uint16Array(0)
}

/** Returns the numbers in both ascending lists. */
function both(a: Uint16Array, b: Uint16Array): Uint16Array {
  const result = new Uint16Array(Math.min(a.length, b.length))
  let [i, j, length] = [0, 0, 0]
  while (i < a.length && j < b.length) {
    const [x, y] = [a[i] ?? 0, b[j] ?? 0]
    if (x === y) {
      result[length] = x
      length += 1
    }
    if (x <= y) i += 1
    if (y <= x) j += 1
  }
  return result.subarray(0, length)
}

function union(source: Source, prefix: string): Uint16Array {
  const isIn = new Uint8Array(source.count)
  let count = 0
  for (const documents of source.withPrefix(prefix)) {
    for (const document of documents) {
      if (isIn[document] === 1) continue
      isIn[document] = 1
      count += 1
    }
  }
  const result = new Uint16Array(count)
  let length = 0
  for (let document = 0; document < isIn.length; document += 1) {
    if (isIn[document] !== 1) continue
    result[length] = document
    length += 1
  }
  return result
}

/**
 * Returns the position in `numbers` of the first document that is older than `key`; with `isInclusive`, also
 * the one with that key.
 */
export function positionAfter(source: Source, numbers: Uint16Array, key: Key, isInclusive: boolean): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const order = compareKeys(source.documentAt(numbers[middle] ?? 0), key)
    if (order > 0 || (order === 0 && !isInclusive)) low = middle + 1
    else high = middle
  }
  return low
}
