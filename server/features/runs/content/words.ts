/** A word of a text, with its position in UTF-16 code units. */
export type Word = { readonly word: string; readonly start: number; readonly end: number }

/**
 * Scripts without spaces between words. Each of their characters is a word, so that a part of a sentence is
 * found as a phrase.
 */
const unspaced = '[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]'
const letters = '[\\p{L}\\p{N}\\p{M}]'
const wordPattern = new RegExp(`[${unspaced}&&${letters}]|[${letters}--${unspaced}]+`, 'gv')
const isAscii = /^[\0-\x7f]*$/
const separators = /[^\p{L}\p{N}\p{M}]+/u

/** Maximum length of a word in the index, in UTF-16 code units. Longer words are compared in the payload. */
const maxIndexedLength = 40

/**
 * Returns the words of a text in order, folded like the text search (NFKC, lower case). This is the only
 * definition of a word: index, queries and excerpts use it.
 */
export function wordsIn(text: string): Word[] {
  const words: Word[] = []
  for (const match of text.matchAll(wordPattern)) {
    const [found] = match
    const start = match.index
    const end = start + found.length
    if (isAscii.test(found)) {
      words.push({ word: found.toLowerCase(), start, end })
      continue
    }
    // Compatibility characters such as "½" may contain a separator when folded.
    for (const word of found.normalize('NFKC').toLowerCase().split(separators)) {
      if (word !== '') words.push({ word, start, end })
    }
  }
  return words
}

export function indexedForm(word: string): string {
  if (word.length <= maxIndexedLength) return word
  const cut = word.slice(0, maxIndexedLength)
  // Half of a surrogate pair cannot be stored as UTF-8.
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** Number of hash values of pairs of adjacent words. */
export const pairCount = 16_384
/** Prefix of the terms of pairs; no word contains it. */
const pairMark = '\u0001'

/** Returns the FNV-1a hash of a word. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  }
  return hash
}

/**
 * Returns the number of a pair of adjacent words. Few texts that contain both words of a phrase also contain
 * its pair, so few payloads are read for a phrase that is rare.
 */
export const pairOf = (first: number, second: number): number =>
  (Math.imul(Math.imul(first, 31) + second, 0x9e3779b1) >>> 0) % pairCount

/** Returns the term of a pair. Terms sort like their numbers, before all words. */
export const pairTerm = (pair: number): string => `${pairMark}${String.fromCharCode(0x100 + pair)}`
