/** Scores of a word of the query, from the best match to the weakest. */
const scores = { whole: 1, start: 0.9, wordStart: 0.8, inside: 0.6, lettersMax: 0.4 } as const
/** Letters match only if they are spread over at most this many times their number. */
const maxSpread = 3

const isWordStart = (text: string, at: number): boolean => at === 0 || /[\s/._\-@·:]/.test(text[at - 1] ?? '')

/** Returns the score of letters that occur in order, the first at the start of a word; null if they do not. */
function letterScore(word: string, text: string): number | null {
  let best: number | null = null
  for (
    let start = text.indexOf(word[0] ?? '');
    start !== -1;
    start = text.indexOf(word[0] ?? '', start + 1)
  ) {
    if (!isWordStart(text, start)) continue
    let at = start
    for (const letter of word.slice(1)) {
      at = text.indexOf(letter, at + 1)
      if (at === -1) return best
    }
    const spread = (at - start + 1) / word.length
    if (spread <= maxSpread) best = Math.max(best ?? 0, scores.lettersMax / spread)
  }
  return best
}

function wordScore(word: string, text: string): number | null {
  if (text === word) return scores.whole
  if (text.startsWith(word)) return scores.start
  let found = text.indexOf(word)
  if (found === -1) return word.length > 1 ? letterScore(word, text) : null
  for (; found !== -1; found = text.indexOf(word, found + 1))
    if (isWordStart(text, found)) return scores.wordStart
  return scores.inside
}

/**
 * Returns how well a text matches what was typed, from 0 to 1; null if it does not. Each typed word must
 * occur in the text, or its letters in order (`blgr` matches `billing/greet`). Case does not matter; of two
 * equal matches the shorter text scores higher.
 */
export function fuzzyScore(typed: string, text: string): number | null {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const lower = text.toLowerCase()
  let sum = 0
  for (const word of words) {
    const score = wordScore(word, lower)
    if (score === null) return null
    sum += score
  }
  return words.length === 0 ? null : sum / words.length - Math.min(0.05, lower.length / 2000)
}
