import { compareKeys, type Document } from './format.ts'
import type { Segment } from './read.ts'
import type { SegmentContent, TermDocuments } from './write.ts'

/** Returns the content of several segments as that of one. Terms are read while they are written. */
export function mergedContent(segments: readonly Segment[]): Omit<SegmentContent, 'fingerprint'> {
  const { documents, numbersOf } = mergeDocuments(segments)
  return { documents, terms: mergeTerms(segments, numbersOf) }
}

/** Returns the documents newest first, and for each segment the new number of each of its documents. */
function mergeDocuments(segments: readonly Segment[]) {
  const all: { readonly document: Document; readonly segment: number; readonly number: number }[] = []
  for (const [segment, { count, documentAt }] of segments.entries()) {
    for (let number = 0; number < count; number += 1) {
      all.push({ document: documentAt(number), segment, number })
    }
  }
  all.sort((a, b) => compareKeys(b.document, a.document))
  const numbersOf = segments.map(({ count }) => new Uint16Array(count))
  for (const [index, { segment, number }] of all.entries()) {
    const numbers = numbersOf[segment]
    if (numbers !== undefined) numbers[number] = index
  }
  return { documents: all.map(({ document }) => document), numbersOf }
}

function* mergeTerms(
  segments: readonly Segment[],
  numbersOf: readonly Uint16Array[],
): Generator<TermDocuments> {
  const cursors = segments.flatMap((segment, index) => {
    const terms = segment.terms()
    const first = terms.next()
    const numbers = numbersOf[index]
    return first.done || numbers === undefined ? [] : [{ terms, numbers, current: first.value }]
  })
  while (cursors.length > 0) {
    const term = cursors.reduce(
      (least, { current }) => (current.term < least ? current.term : least),
      cursors[0]?.current.term ?? '',
    )
    const parts: Uint16Array[] = []
    // Backwards, because ended cursors are removed.
    for (let index = cursors.length - 1; index >= 0; index -= 1) {
      const cursor = cursors[index]
      if (cursor?.current.term !== term) continue
      parts.push(cursor.current.documents.map((number) => cursor.numbers[number] ?? 0))
      const next = cursor.terms.next()
      if (next.done) cursors.splice(index, 1)
      else cursor.current = next.value
    }
    yield { term, documents: joined(parts) }
  }
}

function joined(parts: readonly Uint16Array[]): Uint16Array {
  const all = new Uint16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all.sort()
}
