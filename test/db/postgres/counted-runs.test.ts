import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { migrations } from '../../../server/db/migrations/index.ts'
import { sqliteStatements } from '../../../server/db/migrations/migration.ts'
import { openStore } from '../store.ts'
import { postgresServer } from './postgres-support.ts'

const server = postgresServer()
const at = migrations.findIndex(({ name }) => name === 'counted_runs')
const hour = 3_600_000

const keys = 'tier, slice, start, source, provider, model, workspace, ref_key, env, value, status'
const sums =
  'n, prompt_tokens, output_tokens, total_tokens, latency_us, cost_nano, cost_unknown, ttft_us, latencies, ttfts'

/** Cells of two months, whose names differ; the last one subtracts a removed run. */
const cells = [
  [Date.UTC(2026, 0, 31, 23), 1, 1, 0, 1, 2],
  [Date.UTC(2026, 0, 31, 23), 2, 1, 5, 0, 3],
  [Date.UTC(2026, 1, 1), 1, 1, 5, 2, 1],
  [Date.UTC(2026, 1, 1, 5), 1, 2, 0, 2, -1],
].map(
  ([start = 0, model, workspace, refKey, env, n = 0]) =>
    `(0, 7, ${start - (start % hour)}, 1, 1, ${model}, ${workspace}, ${refKey}, ${env}, 0, 1,
      ${n}, ${n * 2}, ${n * 3}, ${n * 5}, ${n * 7}, ${n * 11}, 0, 13, '40:${n}', '')`,
)
const insertCells = [
  `INSERT INTO run_rollups (${keys}, ${sums}) VALUES ${cells.join(', ')}`,
  `UPDATE meta SET value = 9 WHERE key = 'run_id'`,
]

type Row = Readonly<Record<string, unknown>> & { readonly latencies: string }
const read = `SELECT * FROM run_rollups ORDER BY ${keys}`
/** The parts of a histogram have no order. */
const inOrder = (rows: readonly Row[]) =>
  rows.map((row) => ({ ...row, latencies: row.latencies.split(' ').sort() }))

it('adds the cells of runs to the same roll-ups in both engines', async () => {
  const before = migrations.slice(0, at)
  const { db } = await openStore({ migrations: before })
  const migration = migrations[at]
  if (migration === undefined) throw new Error('No such migration')
  await db.write(async ({ q }) => {
    for (const statement of [...insertCells, ...sqliteStatements(migration)])
      await sql.raw(statement).execute(q)
  })
  const embedded = (await sql.raw<Row>(read).execute(db.read)).rows
  expect(embedded.length).toBeGreaterThan(20)

  const url = await server.newDatabase()
  await server.open({ url, migrations: before })
  for (const statement of insertCells) await server.run(url, statement)
  const store = await server.open({ url, migrations })
  const { rows } = await sql.raw<Row>(read).execute(store.db.read)
  expect(inOrder(rows)).toEqual(inOrder(embedded))
  const counted = `SELECT value FROM meta WHERE key = 'base_run_id'`
  expect((await sql.raw(counted).execute(store.db.read)).rows).toEqual([{ value: 9 }])
})
