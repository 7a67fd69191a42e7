import { type Expression, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { SqlDialect } from '../../server/db/dialect/dialect.ts'
import { always, listOf, matchesPattern, never, withoutIndex } from '../../server/db/dialect/expressions.ts'
import { hasJsonField, jsonArrayOf, jsonField } from '../../server/db/dialect/json.ts'
import { compileOnly, queryOver } from '../../server/db/dialect/query.ts'
import { sqliteDialect } from '../../server/db/dialect/sqlite.ts'
import { postgresDialect } from '../../server/db/engines/postgres/compiler.ts'
import { toPostgres } from '../../server/db/engines/postgres/ddl.ts'
import { type Params, prepareQuery } from '../../server/db/prepared.ts'

const compiled = (dialect: SqlDialect, expression: Expression<unknown>) => {
  const { sql: text, parameters } = sql`${expression}`.compile(compileOnly(dialect))
  return [text.replace(/\s+/g, ' '), ...parameters]
}

/** An object without the escapes that PostgreSQL does not read as text. */
const readable = (column: string): string =>
  `(case when strpos(${column}, '\\u') = 0 then ${column} else regexp_replace(${column}, ` +
  `'((?<!\\\\)(?:\\\\\\\\)*)\\\\u(?:0000|[dD][89a-fA-F][0-9a-fA-F]{2})', '\\1\\\\ufffd', 'g') end)::json`

describe('an expression with two forms', () => {
  it.each([
    ['always', always, ['1'], ['true']],
    ['never', never, ['0'], ['false']],
    ['withoutIndex', withoutIndex('p.key'), ['+"p"."key"'], ['"p"."key"']],
    ['listOf', listOf([1, 2]), ['1,2'], ['1,2']],
    ['listOf, empty', listOf([]), [''], ['null']],
    [
      'matchesPattern',
      matchesPattern(sql.ref('key'), 'a%'),
      [`"key" like ? escape '\\'`, 'a%'],
      [`"key" ilike $1 escape '\\'`, 'a%'],
    ],
    [
      'jsonField',
      jsonField('a.b', 'c'),
      [`json_extract("a"."b", '$.c')`],
      [`(${readable('"a"."b"')} ->> 'c')`],
    ],
    [
      'jsonArrayOf',
      jsonArrayOf(['id']),
      [`json_group_array(json_object('id', "id"))`],
      [`json_agg(json_build_object('id', "id"))::text`],
    ],
    [
      'hasJsonField',
      hasJsonField('m', [['k', 'v']]),
      [
        `exists (select 1 from json_each("m") where key = ? and case type when 'true' then 'true' = ? when 'false' then 'false' = ? when 'integer' then 0 when 'real' then 0 else cast(value as text) = ? end)`,
        'k',
        'v',
        'v',
        'v',
      ],
      [`exists (select 1 from json_each_text(${readable('"m"')}) where key = $1 and value = $2)`, 'k', 'v'],
    ],
  ] as const)('%s', (_, expression, sqlite, postgres) => {
    expect(compiled(sqliteDialect, expression)).toEqual(sqlite)
    expect(compiled(postgresDialect, expression)).toEqual(postgres)
  })

  it('is written in the dialect of the engine that runs it, also by a prepared query', async () => {
    const sent: string[] = []
    const query = (dialect: SqlDialect) =>
      queryOver({
        dialect,
        async execute(text) {
          sent.push(text)
          return { rows: [], changes: 0 }
        },
      })
    const prepared = prepareQuery((q, p: Params<{ id: string }>) =>
      q.selectFrom('users').select('id').where('id', '=', p('id')).where(always),
    )
    for (const dialect of [sqliteDialect, postgresDialect, sqliteDialect])
      await prepared(query(dialect), { id: 'a' })
    expect(sent).toEqual([
      'select "id" from "users" where "id" = +? and 1',
      'select "id" from "users" where "id" = $1 and true',
      'select "id" from "users" where "id" = +? and 1',
    ])
  })
})

it('a list without values matches nothing in PostgreSQL', () => {
  const query = compileOnly(postgresDialect).selectFrom('users').select('id').where('id', 'in', [])
  expect(query.compile().sql).toBe('select "id" from "users" where "id" in (null)')
})

it('a statement of a migration is turned into that of PostgreSQL, except texts in quotes', () => {
  expect(toPostgres(`CREATE TABLE t (user TEXT NOT NULL, n INTEGER, x REAL) STRICT, WITHOUT ROWID`)).toBe(
    'CREATE TABLE t ("user" text COLLATE "C" NOT NULL, n bigint, x double precision)',
  )
  expect(toPostgres(`CREATE INDEX t_user ON t (user) WHERE kind IN ('user', 'TEXT')`)).toBe(
    `CREATE INDEX t_user ON t ("user") WHERE kind IN ('user', 'TEXT')`,
  )
})

describe('a limit in SQLite', () => {
  it('is no bound value, with which SQLite would plan the statement again on each call', () => {
    const users = compileOnly(sqliteDialect).selectFrom('users').select('id')
    expect(users.limit(5).compile()).toMatchObject({
      sql: 'select "id" from "users" limit 5',
      parameters: [],
    })
  })
})

describe('a prepared query in SQLite', () => {
  it('has signs before its parameters, without which SQLite would plan it again on each call', async () => {
    const sent: unknown[] = []
    const execute = async (...statement: unknown[]) => {
      sent.push(statement)
      return { rows: [], changes: 0 }
    }
    const prepared = prepareQuery((q, p: Params<{ role: 'admin'; count: number }>) =>
      q.selectFrom('users').select('id').where('role', '=', p('role')).limit(p('count')),
    )
    await prepared(queryOver({ dialect: sqliteDialect, execute }), { role: 'admin', count: 5 })
    expect(sent).toEqual([['select "id" from "users" where "role" = +? limit +?', ['admin', 5]]])
  })
})
