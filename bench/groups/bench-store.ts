import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CompiledQuery, sql } from 'kysely'
import { openDb } from '../../server/db/engines/sqljs/open.ts'
import type { Migration } from '../../server/db/migrations/migration.ts'
import type { Db, Query } from '../../server/db/types.ts'
import type { WriteLoad } from './native-sqlite.ts'

const logger = { info() {}, warn: console.warn, error: console.error }
const columns =
  'id, created_at, source, provider, model, app, status, latency_ms, tokens_in, tokens_out, cost, trace, error'
const migrations: Migration[] = [
  {
    version: 1,
    name: 'bench',
    statements: [
      `CREATE TABLE bench_runs (id INTEGER PRIMARY KEY, created_at INTEGER NOT NULL, source INTEGER NOT NULL,
        provider INTEGER NOT NULL, model INTEGER NOT NULL, app INTEGER NOT NULL, status INTEGER NOT NULL,
        latency_ms INTEGER NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost INTEGER,
        trace TEXT, error TEXT) STRICT`,
      'CREATE INDEX bench_runs_provider ON bench_runs (provider, id)',
      'CREATE INDEX bench_runs_model ON bench_runs (model, id)',
      'CREATE INDEX bench_runs_app ON bench_runs (app, id)',
    ],
  },
]

const open = (folder: string) => openDb({ folder, maxStoreBytes: 3 * 1024 ** 3, logger, migrations })

/** Returns the n-th row. `bench/counterparts/native-sqlite.py` writes the same values, except for the id. */
const rowOf = (n: number) => [
  ...[n, 1_700_000_000_000 + n, n % 3, n % 7, n % 23, n % 40, n % 20 === 0 ? 1 : 0, n % 4000],
  ...[n % 3000, n % 900, n % 100, `trace-${n % 5000}`, null],
]

export type BenchStore = {
  readonly db: Db
  readonly folder: string
  /** Returns the rows per second that the store writes durably. */
  readonly rate: (writeLoad: WriteLoad) => Promise<number>
  readonly writeOne: () => Promise<void>
  /** Adds rows in transactions of 500. */
  readonly fill: (count: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Opens the store of the service alone, with one table of 13 columns and 3 indexes. A named folder is kept by
 * `stop`.
 */
export async function openBenchStore(namedFolder?: string): Promise<BenchStore> {
  const folder = namedFolder ?? mkdtempSync(join(tmpdir(), 'bench-store-'))
  const { db } = await open(folder)
  const template: CompiledQuery = sql`SELECT 1`.compile(db.read)
  const insert = `INSERT INTO bench_runs (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`
  let lastId = 0
  const insertRun = (q: Query) => {
    lastId += 1
    return q.executeQuery({ ...template, sql: insert, parameters: rowOf(lastId) })
  }
  const write = (rows: number) =>
    db.write(async (tx) => {
      for (let n = 0; n < rows; n += 1) await insertRun(tx.q)
    })
  return {
    db,
    folder,
    async rate({ writers, rows, seconds }) {
      const startedAt = performance.now()
      let written = 0
      const writer = async () => {
        while (performance.now() - startedAt < seconds * 1000) {
          await write(rows)
          written += rows
        }
      }
      await Promise.all(Array.from({ length: writers }, writer))
      return (written / (performance.now() - startedAt)) * 1000
    },
    writeOne: () => write(1),
    async fill(count) {
      for (let n = 0; n < count; n += 500) await write(500)
    },
    async stop() {
      await db.close()
      if (namedFolder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}
