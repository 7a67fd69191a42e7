import type { Compilable } from 'kysely'
import type { SqlDialect } from './dialect/dialect.ts'
import { isPlaceholder, type Placeholder } from './dialect/placeholder.ts'
import { compileOnly, runnerOf } from './dialect/query.ts'
import { sqliteDialect } from './dialect/sqlite.ts'
import type { Query } from './types.ts'
import type { Outcome } from './values.ts'

/**
 * Returns the placeholder of parameter `name` while the query is built. Annotate it:
 * `p: Params<{ id: string }>`.
 */
export type Params<P> = <K extends keyof P & string>(name: K) => P[K]

type Named = Readonly<Record<string, unknown>>

/** A query without placeholders takes no parameters. */
type Arguments<P> = keyof P extends never ? [params?: P] : [params: P]

/**
 * A prepared query: compiled once, then each call only replaces parameters (8.4 k → 16.5 k writes/s with 50
 * writers).
 *
 *     const byId = prepareQuery((q, p: Params<{ id: string }>) =>
 *       q.selectFrom('users').selectAll().where('id', '=', p('id')),
 *     )
 *     const [user] = await byId(db.read, { id })
 *
 * It supports no `in` lists and no optional clauses, because they change the text. The plan does not depend on
 * the values: use literals (`sql.lit`) for a value that decides about a partial index.
 */
export function prepareQuery<P extends Named = Record<never, never>, Row = unknown>(
  build: (q: Query, p: Params<P>) => Compilable<Row>,
): (q: Query, ...params: Arguments<P>) => Promise<Row[]> {
  const run = prepare(build)
  return async (q, ...[params]) => (await run(q, params)).rows as Row[]
}

/** A prepared INSERT, UPDATE or DELETE. Resolves to the number of rows changed. */
export function prepareChange<P extends Named = Record<never, never>>(
  build: (q: Query, p: Params<P>) => Compilable<unknown>,
): (q: Query, ...params: Arguments<P>) => Promise<number> {
  const run = prepare(build)
  return async (q, ...[params]) => (await run(q, params)).changes
}

type Statement = {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** The name of the parameter at each position; undefined for a constant. */
  readonly names: readonly (string | undefined)[]
}

type Build<P extends Named> = (q: Query, p: Params<P>) => Compilable<unknown>

function compile<P extends Named>(build: Build<P>, dialect: SqlDialect): Statement {
  const placeholder = (parameterName: string): Placeholder => ({ parameterName })
  // The cast gives the placeholder the type of the parameter, which Kysely does not check at run time.
  const { sql, parameters } = build(compileOnly(dialect), placeholder as unknown as Params<P>).compile()
  const names = parameters.map((value) => (isPlaceholder(value) ? value.parameterName : undefined))
  return { sql, parameters, names }
}

function prepare<P extends Named>(build: Build<P>): (q: Query, params: P | undefined) => Promise<Outcome> {
  let current = sqliteDialect
  let statement = compile(build, current)
  return (q, params) => {
    const runner = runnerOf(q)
    if (runner.dialect !== current) {
      // A process has one engine, so this happens once.
      current = runner.dialect
      statement = compile(build, current)
    }
    const { sql, parameters, names } = statement
    const values = new Array<unknown>(names.length)
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index]
      values[index] = name === undefined ? parameters[index] : params?.[name]
    }
    return runner.execute(sql, values)
  }
}
