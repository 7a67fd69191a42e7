import { hashOf, indexedForm, pairOf, pairTerm, wordsIn } from './words.ts'

/** Words that must be adjacent and in this order; often a single word. */
export type ContentTerm = {
  readonly words: readonly string[]
  /** True if the last word may be the beginning of a longer one. */
  readonly isPrefix: boolean
}
/** A search in captured texts. All terms must match. */
export type ContentQuery = { readonly terms: readonly ContentTerm[] }

const maxTerms = 10
/** A shorter last word matches whole words only: too many words begin with it. */
const minPrefixLength = 3
/** A phrase in quotes (the last quote may be missing), or text without white space. */
const partPattern = /"([^"]*)(?:"|$)|([^\s"]+)/g

/** Parses words and quoted phrases. Returns null if the text contains no word. */
export function parseContentQuery(text: string): ContentQuery | null {
  const terms: ContentTerm[] = []
  for (const [, quoted, plain] of text.matchAll(partPattern)) {
    const words = wordsIn(quoted ?? plain ?? '').map(({ word }) => word)
    if (words.length > 0 && terms.length < maxTerms) terms.push({ words, isPrefix: quoted === undefined })
  }
  if (terms.length === 0) return null
  return {
    terms: terms.map(({ words, isPrefix }, index) => ({
      words,
      isPrefix: isPrefix && index === terms.length - 1 && (words.at(-1) ?? '').length >= minPrefixLength,
    })),
  }
}

/** Terms that every matching text has. Texts that do not match may have them too. */
export type IndexTerms = { readonly exact: readonly string[]; readonly prefixes: readonly string[] }

export function indexTermsOf({ terms }: ContentQuery): IndexTerms {
  const exact = new Set<string>()
  const prefixes = new Set<string>()
  for (const { words, isPrefix } of terms) {
    const whole = isPrefix ? words.slice(0, -1) : words
    const last = words.at(-1)
    if (isPrefix && last !== undefined) prefixes.add(indexedForm(last))
    for (const [index, word] of whole.entries()) {
      exact.add(indexedForm(word))
      const next = whole[index + 1]
      if (next !== undefined) {
        exact.add(pairTerm(pairOf(hashOf(indexedForm(word)), hashOf(indexedForm(next)))))
      }
    }
  }
  return { exact: [...exact], prefixes: [...prefixes] }
}

/** Returns true if the index alone decides which payloads match: single words that it contains completely. */
export const isDecidedByIndex = ({ terms }: ContentQuery): boolean =>
  terms.every(({ words }) => words.length === 1 && words.every((word) => indexedForm(word) === word))
