import { sql } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import {
  type OpenedPostgres,
  openPostgres,
  type PostgresOptions,
} from '../../../server/db/engines/postgres/open.ts'
import type { Migration } from '../../../server/db/migrations/migration.ts'
import type { Query, Tx } from '../../../server/db/types.ts'
import { type Cluster, startCluster } from '../../support/postgres/cluster.ts'
import { runOnServer } from '../../support/postgres/server.ts'
import { memoryLogger } from '../store.ts'

export const itemMigrations: readonly Migration[] = [
  {
    version: 1,
    name: 'items',
    statements: [
      `CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE, n INTEGER, x REAL) STRICT`,
      `CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
      `INSERT INTO counters (name, value) VALUES ('a', 0), ('b', 0)`,
    ],
  },
]

export type TestServer = {
  readonly cluster: Cluster
  /** Creates an empty database and returns its URL. */
  newDatabase(options?: string): Promise<string>
  /** Runs a statement in a database. */
  run<Row extends object>(url: string, statement: string): Promise<Row[]>
  /** Opens a store, by default in a new database. It is closed after the tests. */
  open(
    options?: Partial<PostgresOptions>,
  ): Promise<OpenedPostgres & { log: ReturnType<typeof memoryLogger>; url: string }>
}

/** Starts a server for the tests of a file. */
export function postgresServer(): TestServer {
  let cluster: Cluster | null = null
  let databases = 0
  const opened: OpenedPostgres[] = []
  const running = (): Cluster => {
    if (cluster === null) throw new Error('The server is not running')
    return cluster
  }
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(async () => {
    for (const { db } of opened) await db.close()
    await cluster?.close()
  })
  const newDatabase = async (options = '') => {
    databases += 1
    const name = `d${databases}`
    await runOnServer(running().urlOf('postgres'), `CREATE DATABASE ${name} ${options}`)
    return running().urlOf(name)
  }
  return {
    get cluster() {
      return running()
    },
    newDatabase,
    run: runOnServer,
    async open(options = {}) {
      const url = options.url ?? (await newDatabase())
      const log = memoryLogger()
      const store = await openPostgres({ logger: log, migrations: itemMigrations, ...options, url })
      opened.push(store)
      return { ...store, log, url }
    },
  }
}

export const insertItem = (q: Query, id: number, name: string | null = null) =>
  sql`INSERT INTO items (id, name) VALUES (${id}, ${name})`.execute(q)

export const itemIds = async (q: Query): Promise<number[]> =>
  (await sql<{ id: number }>`SELECT id FROM items ORDER BY id`.execute(q)).rows.map(({ id }) => id)

/** Adds 1 to a counter by reading and writing it, which loses additions if transactions run at the same time. */
export async function increment({ q }: Tx, name: string): Promise<void> {
  const { rows } = await sql<{ value: number }>`SELECT value FROM counters WHERE name = ${name}`.execute(q)
  await sql`UPDATE counters SET value = ${(rows[0]?.value ?? 0) + 1} WHERE name = ${name}`.execute(q)
}

export const counterOf = async (q: Query, name: string): Promise<number | undefined> =>
  (await sql<{ value: number }>`SELECT value FROM counters WHERE name = ${name}`.execute(q)).rows[0]?.value
