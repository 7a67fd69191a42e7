/**
 * A statement of a migration. A text is written for SQLite in the common subset that engines/postgres/ddl.ts turns
 * into PostgreSQL's: types, keys, checks, indexes, views, plain INSERT and UPDATE. Everything else has both forms.
 */
export type Statement =
  | string
  | {
      /** Null if only PostgreSQL needs the statement. */
      readonly sqlite: string | null
      /** Empty if only a store from before the migration needs the statement: databases in PostgreSQL are newer. */
      readonly postgres: readonly string[]
    }

/**
 * One numbered change of the schema. `statements` run in one transaction. They must not change after a
 * release.
 */
export type Migration = {
  readonly version: number
  readonly name: string
  readonly statements: readonly Statement[]
}

export const sqliteStatements = ({ statements }: Migration): readonly string[] =>
  statements.flatMap((statement) => (typeof statement === 'string' ? statement : (statement.sqlite ?? [])))

/** Returns statements that only a store from before the migration needs. */
export const onlySqlite = (statements: readonly string[]): readonly Statement[] =>
  statements.map((sqlite) => ({ sqlite, postgres: [] }))

/** Returns statements that only PostgreSQL needs. */
export const onlyPostgres = (statements: readonly string[]): readonly Statement[] => [
  { sqlite: null, postgres: statements },
]
