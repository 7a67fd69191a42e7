import { type RawBuilder, sql } from 'kysely'

/** Returns text for comparison without case: NFKC, lower case. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** Returns the distinct words of a search text, folded; at most ten. */
export function searchWords(text: string): string[] {
  return [...new Set(fold(text).split(/[\s._\-@/]+/u))].filter((word) => word !== '').slice(0, 10)
}

/** Returns text in which LIKE with the escape character `\\` finds no wildcard. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (char) => `\\${char}`)

/**
 * Returns an SQL condition: a word of `column` (already folded) begins with `word`. It scans, so it is for
 * short lists of names, not for the run log.
 */
export function hasWordPrefix(column: RawBuilder<string>, word: string): RawBuilder<boolean> {
  const spaced = sql`replace(replace(replace(replace(replace(${column}, '.', ' '), '_', ' '), '-', ' '), '@', ' '), '/', ' ')`
  return sql<boolean>`(' ' || ${spaced}) like ${`% ${escapeLike(word)}%`} escape '\\'`
}
