import { fold } from './search.ts'

const wordPattern = /[\p{L}\p{N}\p{M}]+/gu
const maxWordLength = 40
/** Default maximum. A summary has a maximum length, so only deliberately made text reaches this limit. */
const maxWords = 64

/**
 * Returns the distinct words of a text as the index stores them: folded, cut to a length, in order of
 * appearance.
 */
export function wordsOf(text: string, max = maxWords): string[] {
  const words = fold(text).match(wordPattern) ?? []
  return [...new Set(words.map((word) => word.slice(0, maxWordLength)))].slice(0, max)
}
