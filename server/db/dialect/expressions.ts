import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { eitherForm } from './either-form.ts'

/*
 * Expressions that the engines write differently, with both forms beside each other. SQLite has no boolean
 * type, and chooses an index by the way a condition is written.
 */

/** The condition that is true for every row. */
export const always = eitherForm<SqlBool>({ sqlite: sql`1`, postgres: sql`true` })

/** The condition that is true for no row. */
export const never = eitherForm<SqlBool>({ sqlite: sql`0`, postgres: sql`false` })

/**
 * Returns a column for which SQLite uses no index, because of the `+`. PostgreSQL decides by its statistics.
 */
export function withoutIndex<T>(column: string): RawBuilder<T> {
  return eitherForm<T>({ sqlite: sql`+${sql.ref(column)}`, postgres: sql`${sql.ref(column)}` })
}

/** Returns ids as SQL literals: they are internal integers, and SQLite limits parameters to 32,766. */
export function listOf(ids: readonly number[]): RawBuilder<unknown> {
  const list = sql.raw(ids.map((id) => Math.trunc(id)).join(','))
  // `in ()` matches no row, but is not valid in PostgreSQL. `in (null)` matches no row either.
  return ids.length > 0 ? list : eitherForm({ sqlite: list, postgres: sql`null` })
}

/**
 * Returns the condition that a text matches a pattern with `\` as escape character. ASCII letters match in
 * any case.
 */
export function matchesPattern(text: Expression<string>, pattern: string): RawBuilder<boolean> {
  return eitherForm<boolean>({
    sqlite: sql`${text} like ${pattern} escape '\\'`,
    postgres: sql`${text} ilike ${pattern} escape '\\'`,
  })
}
