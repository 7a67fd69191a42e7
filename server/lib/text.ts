import { type RawBuilder, sql } from 'kysely'

/** How names are compared when case must not matter: NFKC, lower case. */
export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** The distinct words of a search text, folded; never more than ten. */
export function searchWords(text: string): string[] {
  return [...new Set(fold(text).split(/[\s._\-@/]+/u))].filter((word) => word !== '').slice(0, 10)
}

const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (char) => `\\${char}`)

/** True where a word of `column` (folded already) begins with `word`. For short lists of names; never for the run log. */
export function hasWordPrefix(column: RawBuilder<string>, word: string): RawBuilder<boolean> {
  const spaced = sql`replace(replace(replace(replace(replace(${column}, '.', ' '), '_', ' '), '-', ' '), '@', ' '), '/', ' ')`
  return sql<boolean>`(' ' || ${spaced}) like ${`% ${escapeLike(word)}%`} escape '\\'`
}
