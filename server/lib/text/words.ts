import { fold } from './search.ts'

const word = /[\p{L}\p{N}\p{M}]+/gu
const maxWordLength = 40
/** A summary has a maximum length, so only deliberately made text reaches this limit. */
const maxWords = 64

/**
 * Returns the distinct words of a text as the index stores them: folded, cut to a length, in order of
 * appearance.
 */
export function wordsOf(text: string, most = maxWords): string[] {
  const found = fold(text).match(word) ?? []
  return [...new Set(found.map((given) => given.slice(0, maxWordLength)))].slice(0, most)
}
