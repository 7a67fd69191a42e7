import type { Payload } from '../payloads/payload-line.ts'
import type { IndexTerms } from './content-query.ts'
import { textsOf } from './payload-texts.ts'
import { hashOf, indexedForm, pairOf, pairTerm, wordsIn } from './words.ts'

/** The only term of a payload with more words than PostgreSQL accepts: every query finds it. No word contains it. */
const anyTerm = '\u0001'
/** PostgreSQL limits the lexemes of a `tsvector` to 1,048,575 bytes. */
const maxTermBytes = 1_000_000

/** Returns the terms of a payload: its words, and its pairs of adjacent words. */
export function termsOf(payload: Payload): string[] {
  const terms = new Set<string>()
  for (const { text } of textsOf(payload)) {
    let before: number | null = null
    for (const { word } of wordsIn(text)) {
      const term = indexedForm(word)
      const hash = hashOf(term)
      terms.add(term)
      if (before !== null) terms.add(pairTerm(pairOf(before, hash)))
      before = hash
    }
  }
  let bytes = 0
  for (const term of terms) bytes += Buffer.byteLength(term)
  return bytes > maxTermBytes ? [anyTerm] : [...terms]
}

/** Terms contain letters, digits, marks and the prefix of pairs, so they need no escaping. */
const lexeme = (term: string): string => `'${term}'`

/** Returns the `tsquery` of the payloads that may match. */
export function tsqueryOf({ exact, prefixes }: IndexTerms): string {
  const all = [...exact.map(lexeme), ...prefixes.map((prefix) => `${lexeme(prefix)}:*`)]
  return `(${all.join(' & ')}) | ${lexeme(anyTerm)}`
}
/** Returns the `tsquery` of payloads with more words than PostgreSQL accepts. */
export const anyTsquery = lexeme(anyTerm)
