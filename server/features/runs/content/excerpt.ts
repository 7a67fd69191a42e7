import type { Excerpt } from '../../../../contract/runs/run-content.ts'
import { fold } from '../../../lib/text/search.ts'
import type { Payload } from '../payloads/payload-line.ts'
import type { ContentQuery, ContentTerm } from './content-query.ts'
import { type ContentText, textsOf } from './payload-texts.ts'
import { type Word, wordsIn } from './words.ts'

type Range = readonly [start: number, end: number]
type Found = { readonly text: ContentText; readonly ranges: Range[]; terms: number }

/** Length of an excerpt, and of its part before the first match, in UTF-16 code units. */
const excerptLength = 240
const leadLength = 60
const maxMarks = 50

/** Returns an excerpt with marks if the payload matches the query, else null. */
export function excerptOf(query: ContentQuery, payload: Payload): Excerpt | null {
  const texts = textsOf(payload)
  if (!query.terms.every((term) => mayContain(texts, term))) return null
  const found: Found[] = []
  const missing = new Set(query.terms)
  for (const text of texts) {
    const words = wordsIn(text.text)
    const here: Found = { text, ranges: [], terms: 0 }
    for (const term of query.terms) {
      const ranges = occurrencesOf(term, words)
      if (ranges.length === 0) continue
      missing.delete(term)
      here.ranges.push(...ranges)
      here.terms += 1
    }
    if (here.terms > 0) found.push(here)
  }
  if (missing.size > 0) return null
  // The text with the most terms; of several, the first.
  const best = found.reduce<Found | null>((a, b) => (a === null || b.terms > a.terms ? b : a), null)
  return best === null ? null : cut(best)
}

const isAscii = /^[\0-\x7f]*$/
const phrasePatterns = new WeakMap<ContentTerm, RegExp>()

/**
 * Returns false if a phrase is in none of the texts, without splitting them into words. Only for ASCII: the
 * lower case of other letters may depend on those around them.
 */
function mayContain(texts: readonly ContentText[], term: ContentTerm): boolean {
  const { words } = term
  if (words.length < 2 || !words.every((word) => isAscii.test(word))) return true
  // Words are letters and digits, so that they need no escaping.
  const pattern = phrasePatterns.get(term) ?? new RegExp(words.join('[^\\p{L}\\p{N}\\p{M}]*'), 'u')
  phrasePatterns.set(term, pattern)
  return texts.some(({ text }) => pattern.test(fold(text)))
}

/** Returns the ranges of the text in which the words of a term follow each other. */
function occurrencesOf({ words, isPrefix }: ContentTerm, text: readonly Word[]): Range[] {
  const ranges: Range[] = []
  const last = words.length - 1
  for (let at = 0; at + last < text.length; at += 1) {
    const isMatch = words.every((word, index) => {
      const candidate = text[at + index]?.word ?? ''
      return isPrefix && index === last ? candidate.startsWith(word) : candidate === word
    })
    const [first, end] = [text[at], text[at + last]]
    if (isMatch && first !== undefined && end !== undefined) ranges.push([first.start, end.end])
  }
  return ranges
}

/** Returns the part of a text around its first match. */
function cut({ text: { field, text }, ranges }: Found): Excerpt {
  const sorted = merge(ranges)
  const first = sorted[0]?.[0] ?? 0
  const start = first <= leadLength ? 0 : boundary(text, first - leadLength, first)
  const end = boundary(text, Math.min(text.length, start + excerptLength), text.length)
  const marks = sorted.flatMap(([from, to]): [number, number][] =>
    from < end && to > start ? [[Math.max(from, start) - start, Math.min(to, end) - start]] : [],
  )
  const [lead, rest] = [start > 0 ? '…' : '', end < text.length ? '…' : '']
  return {
    field,
    text: `${lead}${text.slice(start, end)}${rest}`,
    marks: marks.slice(0, maxMarks).map(([from, to]) => [from + lead.length, to + lead.length]),
  }
}

/** Returns the next white space within 24 characters and before `limit`; else `at`, but not within a surrogate pair. */
function boundary(text: string, at: number, limit: number): number {
  const space = text.slice(at, Math.min(at + 24, limit)).search(/\s/)
  if (space >= 0) return at + space
  return at < limit && /[\uDC00-\uDFFF]/.test(text.charAt(at)) ? at + 1 : at
}

/** Sorts ranges, and joins those that overlap. */
function merge(ranges: readonly Range[]): Range[] {
  const merged: [number, number][] = []
  for (const [start, end] of [...ranges].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const last = merged.at(-1)
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}
