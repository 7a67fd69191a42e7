import { type RawBuilder, sql } from 'kysely'
import { escapeLike } from './search.ts'

/**
 * Returns an SQL condition: a word of `column` (already folded) begins with `word`. It scans, so it is for
 * short lists of names, not for the run log.
 */
export function hasWordPrefix(column: RawBuilder<string>, word: string): RawBuilder<boolean> {
  const spaced = sql`replace(replace(replace(replace(replace(${column}, '.', ' '), '_', ' '), '-', ' '), '@', ' '), '/', ' ')`
  return sql<boolean>`(' ' || ${spaced}) like ${`% ${escapeLike(word)}%`} escape '\\'`
}
