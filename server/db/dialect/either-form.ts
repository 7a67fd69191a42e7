import { type Expression, type OperationNode, type RawBuilder, type RawNode, sql } from 'kysely'

/** An expression in the SQL of each engine. */
export type Forms<T> = {
  readonly sqlite: RawBuilder<T>
  readonly postgres: RawBuilder<T>
}

/** SQLite's form, with PostgreSQL's as an additional property, which Kysely keeps and ignores. */
type EitherNode = OperationNode & { readonly postgresForm: OperationNode }

/**
 * Returns an expression that each engine writes in its own form. The compiler of SQLite uses the node
 * unchanged; that of PostgreSQL replaces it with `postgresFormOf`.
 */
export function eitherForm<T>({ sqlite, postgres }: Forms<T>): RawBuilder<T> {
  const node: EitherNode = { ...sqlite.toOperationNode(), postgresForm: postgres.toOperationNode() }
  const either: Expression<T> = { expressionType: undefined, toOperationNode: () => node }
  return sql<T>`${either}`
}

/** Returns PostgreSQL's form of an expression; undefined if both engines write it alike. */
export function postgresFormOf(node: RawNode): OperationNode | undefined {
  return 'postgresForm' in node ? (node as EitherNode & RawNode).postgresForm : undefined
}
