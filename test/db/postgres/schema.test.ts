import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { migrations } from '../../../server/db/migrations/index.ts'
import { openStore } from '../store.ts'
import { postgresServer } from './postgres-support.ts'

const server = postgresServer()

/** Lines that describe a schema in the words of neither engine, sorted. */
type Description = readonly string[]

const embeddedTypes: Readonly<Record<string, string>> = {
  INTEGER: 'bigint',
  TEXT: 'text C',
  REAL: 'double precision',
}

type Row = Record<string, string | number | null>
type Read = (statement: string) => Promise<Row[]>

async function embeddedColumns(read: Read, table: string): Promise<string[]> {
  const columns = await read(
    `SELECT name, type, "notnull" AS required, pk FROM pragma_table_info('${table}') ORDER BY pk`,
  )
  const lines = columns.map(({ name, type, required, pk }) => {
    const isRequired = required === 1 || Number(pk) > 0
    return `${table}.${name} ${embeddedTypes[String(type)]}${isRequired ? ' required' : ''}`
  })
  const key = columns.filter(({ pk }) => Number(pk) > 0).map(({ name }) => name)
  return [...lines, `${table} unique (${key.join(', ')})`]
}

async function embeddedIndexes(read: Read, table: string): Promise<string[]> {
  const lines: string[] = []
  const indexes = await read(
    `SELECT name, "unique" AS is_unique, partial FROM pragma_index_list('${table}') WHERE origin <> 'pk'`,
  )
  for (const { name, is_unique, partial } of indexes) {
    const parts = await read(`SELECT name FROM pragma_index_info('${name}') ORDER BY seqno`)
    const list = parts.map((part) => part['name']).join(', ')
    lines.push(`${table} ${is_unique === 1 ? 'unique' : 'index'} (${list})${partial === 1 ? ' partial' : ''}`)
  }
  return lines
}

async function embeddedSchema(): Promise<Description> {
  const { db } = await openStore({ migrations })
  const read: Read = async (statement) => (await sql.raw<Row>(statement).execute(db.read)).rows
  const lines: string[] = []
  for (const row of await read(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'store_state'`,
  )) {
    const table = String(row['name'])
    const references = await read(
      `SELECT "table" AS parent, "from" AS child, lower(on_delete) AS action FROM pragma_foreign_key_list('${table}')`,
    )
    lines.push(
      ...(await embeddedColumns(read, table)),
      ...(await embeddedIndexes(read, table)),
      ...references.map(({ parent, child, action }) => `${table}.${child} → ${parent} on delete ${action}`),
    )
  }
  const others = await read(`SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view')`)
  return [...lines, ...others.map(({ name }) => `trigger or view ${name}`)].sort()
}

const actions: Readonly<Record<string, string>> = {
  a: 'no action',
  c: 'cascade',
  n: 'set null',
  r: 'restrict',
}

async function postgresSchema(): Promise<Description> {
  const url = await server.newDatabase()
  await server.open({ url, migrations })
  const ownTables = `c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT c.relispartition AND c.relname NOT IN ('schema_migrations', 'store_identity', 'run_keys', 'run_calls', 'shared_keys', 'payload_days', 'payloads',
      'instances', 'connected_clients')`
  const columns = await server.run<{ line: string }>(
    url,
    `SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
       || CASE WHEN l.collname IS NULL THEN '' ELSE ' ' || l.collname END
       || CASE WHEN a.attnotnull THEN ' required' ELSE '' END AS line
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     LEFT JOIN pg_collation l ON l.oid = a.attcollation WHERE ${ownTables}`,
  )
  const indexes = await server.run<{ line: string }>(
    url,
    `SELECT c.relname || CASE WHEN i.indisunique THEN ' unique (' ELSE ' index (' END
       || (SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(i.indkey::int2[]) WITH ORDINALITY AS k (num, n)
           JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.num)
       || ')' || CASE WHEN i.indpred IS NULL THEN '' ELSE ' partial' END AS line
     FROM pg_class c JOIN pg_index i ON i.indrelid = c.oid WHERE ${ownTables}`,
  )
  const references = await server.run<{ child: string; parent: string; action: string }>(
    url,
    `SELECT c.relname || '.' || a.attname AS child, p.relname AS parent, f.confdeltype AS action
     FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = f.conkey[1] WHERE f.contype = 'f' AND ${ownTables}`,
  )
  const others = await server.run<{ name: string }>(
    url,
    `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal AND tgparentid = 0
       AND tgname NOT IN ('run_keys_added', 'run_keys_deleted', 'run_calls_changed')
     UNION ALL SELECT relname FROM pg_class WHERE relkind = 'v' AND relnamespace = 'public'::regnamespace`,
  )
  return [
    ...[...columns, ...indexes].map(({ line }) => line),
    ...references.map(({ child, parent, action }) => `${child} → ${parent} on delete ${actions[action]}`),
    ...others.map(({ name }) => `trigger or view ${name}`),
  ].sort()
}

/** Keys of runs, which PostgreSQL has in tables of their own: those of partitions contain the time. */
const keysOfRuns: Readonly<Record<string, readonly string[]>> = {
  'runs unique (id)': ['runs unique (id, created_at)'],
  'runs unique (client_run_id, reporter) partial': [],
  'runs unique (call_id) partial': [],
}

it('is the same for both engines: tables, columns, keys, indexes, references, triggers and views', async () => {
  const embedded = (await embeddedSchema()).flatMap((line) => keysOfRuns[line] ?? line)
  expect(await postgresSchema()).toEqual(embedded.sort())
})
