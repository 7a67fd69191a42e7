/** Words of SQLite's SQL and their form in PostgreSQL, outside of string literals. */
const words: readonly (readonly [pattern: RegExp, form: string])[] = [
  // Tables of PostgreSQL are always strict.
  [/\)\s*STRICT(?:,\s*WITHOUT ROWID)?\s*$/, ')'],
  // Times, sums and ids of SQLite have 64 bits.
  [/\bINTEGER\b/g, 'bigint'],
  [/\bREAL\b/g, 'double precision'],
  // Texts are compared by their bytes, as in SQLite, whatever the collation of the database is.
  [/\bTEXT\b/g, 'text COLLATE "C"'],
  // A reserved word.
  [/\buser\b/g, '"user"'],
]

/** Returns PostgreSQL's form of a statement in the common subset, see `Statement` in db/migrations/migration.ts. */
export function toPostgres(sql: string): string {
  const withoutEnd = words.slice(0, 1).reduce((text, [pattern, form]) => text.replace(pattern, form), sql)
  // The parts with an odd index are string literals.
  return withoutEnd
    .split(/('[^']*')/)
    .map((part, index) =>
      index % 2 === 1
        ? part
        : words.slice(1).reduce((text, [pattern, form]) => text.replace(pattern, form), part),
    )
    .join('')
}
