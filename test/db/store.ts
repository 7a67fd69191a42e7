import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach } from 'vitest'
import { type OpenedStore, openDb, type StoreOptions } from '../../server/db/engines/sqljs/open.ts'
import type { Migration } from '../../server/db/migrations/migration.ts'
import type { Db, Query } from '../../server/db/types.ts'

const MIB = 1024 * 1024

/** Tables that cover what a store must keep: types, uniqueness, cascades, deferred checks. */
export const testMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'test',
    statements: [
      `CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE, n INTEGER, x REAL, data BLOB) STRICT`,
      `CREATE INDEX items_n ON items (n, id)`,
      `CREATE TABLE parents (id INTEGER PRIMARY KEY) STRICT`,
      `CREATE TABLE children (id INTEGER PRIMARY KEY,
        parent INTEGER REFERENCES parents (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED) STRICT`,
    ],
  },
]

/** Opens one store for all tests of a file that read only their own data. */
export async function sharedStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), 'store-test-'))
  const store = await openStore({ folder, ...options })
  opened.delete(store)
  afterAll(async () => {
    await store.db.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return store
}

export type LogLine = {
  readonly level: 'info' | 'warn' | 'error'
  readonly message: string
  readonly details: object
}

export function memoryLogger() {
  const lines: LogLine[] = []
  const logAt = (level: LogLine['level']) => (details: object, message: string) => {
    lines.push({ level, message, details })
  }
  return { lines, info: logAt('info'), warn: logAt('warn'), error: logAt('error') }
}

const folders: string[] = []
const opened = new Set<OpenedStore>()

afterEach(async () => {
  for (const store of opened) await store.db.close()
  opened.clear()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-test-'))
  folders.push(folder)
  return folder
}

export type TestStore = OpenedStore & {
  readonly folder: string
  readonly log: ReturnType<typeof memoryLogger>
}

/** Opens a real store in a new folder, closed and removed after the test. */
export async function openStore(options: Partial<StoreOptions> = {}): Promise<TestStore> {
  const folder = options.folder ?? newFolder()
  const log = memoryLogger()
  const store = await openDb({
    folder,
    maxStoreBytes: 64 * MIB,
    logger: log,
    migrations: testMigrations,
    tuning: { segmentBytes: 256 * 1024, transactionTimeoutMs: 300 },
    ...options,
  })
  const testStore = { ...store, folder, log }
  opened.add(testStore)
  return testStore
}

export type Item = {
  id: number
  name: string | null
  n?: number | null
  x?: number | null
  data?: Uint8Array | null
}

export function insert(q: Query, item: Item): Promise<unknown> {
  const { id, name, n = null, x = null, data = null } = item
  return sql`INSERT INTO items (id, name, n, x, data) VALUES (${id}, ${name}, ${n}, ${x}, ${data})`.execute(q)
}

export function add(db: Db, ...items: Item[]): Promise<void> {
  return db.write(async (tx) => {
    for (const item of items) await insert(tx.q, item)
  })
}

export async function items(q: Query): Promise<Required<Item>[]> {
  return (await sql<Required<Item>>`SELECT * FROM items ORDER BY id`.execute(q)).rows
}

export async function ids(q: Query): Promise<number[]> {
  return (await sql<{ id: number }>`SELECT id FROM items ORDER BY id`.execute(q)).rows.map(({ id }) => id)
}

/** Returns every row of every table, to compare two states. */
export async function everything(q: Query): Promise<unknown> {
  const tables = ['items', 'parents', 'children']
  return Promise.all(
    tables.map(async (table) => (await sql`SELECT * FROM ${sql.table(table)} ORDER BY id`.execute(q)).rows),
  )
}

export function filesOf(folder: string, pattern: RegExp): string[] {
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(folder, name))
}

/** Returns the content of the folder, to check that a refused start changed nothing. */
export function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  return Object.fromEntries(
    files.map(({ name }) => [name, readFileSync(join(folder, name)).toString('base64')]),
  )
}
