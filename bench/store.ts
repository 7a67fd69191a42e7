/**
 * Measures the store alone: durable writes by 1, 10 and 50 writers, batches, a checkpoint under load, and the
 * start of a large store. `node dist/bench/store.js [runs]`; default 200,000.
 */
import { cpSync, fdatasyncSync, mkdtempSync, rmSync, writeSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { type CompiledQuery, sql } from 'kysely'
import { openDb } from '../server/db/engines/sqljs/open.ts'
import type { Migration } from '../server/db/migrations/migration.ts'
import type { Db, Query } from '../server/db/types.ts'

const runs = Number(process.argv[2] ?? 200_000)
const logger = { info() {}, warn: console.warn, error: console.error }
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
const columns =
  'id, created_at, source, provider, model, app, status, latency_ms, tokens_in, tokens_out, cost, trace, error'
const insertText = `INSERT INTO bench_runs (${columns}) VALUES (${columns.replaceAll(/\w+/g, '?')})`
const template: CompiledQuery = sql`SELECT 1`.compile((await scratch()).db.read)
let lastId = 0

function insertRun(q: Query): Promise<unknown> {
  lastId += 1
  const id = lastId
  const values = [
    id,
    1_700_000_000_000 + id,
    id % 3,
    id % 7,
    id % 23,
    id % 40,
    id % 20 === 0 ? 1 : 0,
    id % 4000,
  ]
  const parameters = [...values, id % 3000, id % 900, id % 100, `trace-${id % 5000}`, null]
  return q.executeQuery({ ...template, sql: insertText, parameters })
}

async function scratch() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-store-'))
  const opened = await open(folder)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  return { folder, ...opened }
}

function open(folder: string) {
  return openDb({ folder, maxStoreBytes: 3 * 1024 ** 3, logger, migrations })
}

async function rate(label: string, writes: number, perWrite: number, writers: number, db: Db): Promise<void> {
  let left = writes
  const started = performance.now()
  const times: number[] = []
  const writer = async (): Promise<void> => {
    while (left-- > 0) {
      const at = performance.now()
      await db.write(async (tx) => {
        for (let n = 0; n < perWrite; n += 1) await insertRun(tx.q)
      })
      times.push(performance.now() - at)
    }
  }
  await Promise.all(Array.from({ length: writers }, writer))
  const seconds = (performance.now() - started) / 1000
  times.sort((a, b) => a - b)
  const p99 = times[Math.floor(times.length * 0.99)] ?? 0
  const rows = Math.round((writes * perWrite) / seconds)
  console.log(
    `${label.padEnd(34)} ${String(rows).padStart(7)} rows/s   ${(rows / bare).toFixed(2).padStart(6)} × bare   p99 ${p99.toFixed(2)} ms`,
  )
}

/** Returns small appends per second of the disk itself, each with an fdatasync. */
async function bareSyncs(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-store-'))
  const handle = await openFile(join(folder, 'bare'), 'w')
  const record = Buffer.alloc(300, 1)
  await handle.write(Buffer.alloc(8 * 1024 * 1024))
  await handle.sync()
  const started = performance.now()
  let count = 0
  for (; performance.now() - started < 1000; count += 1) {
    writeSync(handle.fd, record, 0, record.length, count * record.length)
    fdatasyncSync(handle.fd)
  }
  await handle.close()
  rmSync(folder, { recursive: true })
  return count / ((performance.now() - started) / 1000)
}

const bare = await bareSyncs()
console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}`)
console.log(`${'bare append + fdatasync'.padEnd(34)} ${String(Math.round(bare)).padStart(7)} a second = 1`)
const { folder, db } = await scratch()
await rate('1 writer, one row each', 10_000, 1, 1, db)
await rate('10 writers, one row each', 30_000, 1, 10, db)
await rate('50 writers, one row each', 50_000, 1, 50, db)
await rate('1 writer, 100 rows each', 500, 100, 1, db)
await rate('10 writers, 100 rows each', 1000, 100, 10, db)
const fillWrites = Math.max(0, Math.ceil((runs - lastId) / 500))
if (fillWrites > 0) await rate(`fill up to ${runs}, 500 rows each`, fillWrites, 500, 4, db)

const loop = monitorEventLoopDelay({ resolution: 1 })
loop.enable()
let isDone = false
const before = performance.now()
const checkpoint = db.checkpoint().then(() => {
  isDone = true
})
const latencies: number[] = []
while (!isDone) {
  const at = performance.now()
  await db.write((tx) => insertRun(tx.q))
  latencies.push(performance.now() - at)
  await new Promise((resolve) => setTimeout(resolve, 1))
}
await checkpoint
loop.disable()
latencies.sort((a, b) => a - b)
const seconds = ((performance.now() - before) / 1000).toFixed(1)
const usedMb = Math.round(db.status().usedBytes / 1e6)
const p99 = (latencies[Math.floor(latencies.length * 0.99)] ?? 0).toFixed(1)
console.log(
  `checkpoint of ${usedMb} MB: ${seconds} s, write p99 meanwhile ${p99} ms, longest stall ${(loop.max / 1e6).toFixed(0)} ms, peak ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
)
await rate('16 MB of journal behind it', 50_000, 1, 50, db)
await db.settled()
// Simulates a kill: nothing is closed, and a copy of the folder is opened.
const copy = mkdtempSync(join(tmpdir(), 'bench-store-'))
cpSync(folder, copy, { recursive: true, filter: (name) => !/[/\\](?:owner\.json|run)$/.test(name) })
const at = performance.now()
const reopened = await open(copy)
console.log(`start with ${lastId} rows and its journal: ${((performance.now() - at) / 1000).toFixed(2)} s`)
await reopened.db.close()
rmSync(copy, { recursive: true, force: true })
process.exit(0)
