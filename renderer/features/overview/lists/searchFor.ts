/** The service uses at most this many words of a search. */
const maxWords = 10

/**
 * Returns a search for the runs of a group: the words of its normalized message without quoted values; null if
 * there are none.
 */
export function searchFor(message: string | null): string | null {
  const words = ((message ?? '').match(/[\p{L}\p{M}#]+/gu) ?? []).filter(
    (word) => word.length > 1 && !word.includes('#'),
  )
  return words.length === 0 ? null : [...new Set(words)].slice(0, maxWords).join(' ').slice(0, 200)
}
