import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { eitherForm } from './either-form.ts'

/*
 * Reading JSON, which both engines store as text. Names of fields are literals in the code, never values of
 * users.
 */

/**
 * Returns a column as a `json` value of PostgreSQL. Reading any field decodes all texts of the object, and
 * fails at NUL and at an unpaired surrogate. `JSON.stringify` writes both as escapes, which are replaced
 * here. A backslash begins an escape only after an even number of other backslashes.
 */
const postgresObject = (column: string): RawBuilder<unknown> => sql`(case
  when strpos(${sql.ref(column)}, '\\u') = 0 then ${sql.ref(column)}
  else regexp_replace(${sql.ref(column)},
    '((?<!\\\\)(?:\\\\\\\\)*)\\\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\1\\\\ufffd', 'g')
  end)::json`

/** Returns the text of a field of an object; null if there is none. */
export function jsonField(column: string, field: string): RawBuilder<string | null> {
  return eitherForm<string | null>({
    sqlite: sql`json_extract(${sql.ref(column)}, ${sql.lit(`$.${field}`)})`,
    postgres: sql`(${postgresObject(column)} ->> ${sql.lit(field)})`,
  })
}

/** Returns a JSON array with an object per row of a group. The fields have the names of the columns. */
export function jsonArrayOf(columns: readonly string[]): RawBuilder<string> {
  const pairs = sql.join(columns.flatMap((column) => [sql.lit(column), sql.ref(column)]))
  return eitherForm<string>({
    sqlite: sql`json_group_array(json_object(${pairs}))`,
    postgres: sql`json_agg(json_build_object(${pairs}))::text`,
  })
}

/**
 * Returns the condition of SQLite that the number in `value` has this text in JSON. SQLite writes large and small
 * numbers differently from `JSON.stringify`, so the numbers are compared.
 */
const isNumberOf = (text: string): RawBuilder<SqlBool> =>
  Number.isFinite(Number(text)) && String(Number(text)) === text
    ? sql`value = cast(${text} as numeric)`
    : sql`0`

/** Returns the condition that an object has a field with one of the values; values are compared as text. */
export function hasJsonField(
  column: string,
  pairs: readonly (readonly [field: string, value: string])[],
): Expression<SqlBool> {
  const sqlite = pairs.map(
    ([key, value]) => sql`key = ${key} and case type
      when 'true' then 'true' = ${value}
      when 'false' then 'false' = ${value}
      when 'integer' then ${isNumberOf(value)}
      when 'real' then ${isNumberOf(value)}
      else cast(value as text) = ${value} end`,
  )
  const postgres = pairs.map(([key, value]) => sql`key = ${key} and value = ${value}`)
  return eitherForm<SqlBool>({
    sqlite: sql`exists
    (select 1 from json_each(${sql.ref(column)}) where ${sql.join(sqlite, sql` or `)})`,
    postgres: sql`exists
    (select 1 from json_each_text(${postgresObject(column)}) where ${sql.join(postgres, sql` or `)})`,
  })
}
