import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { countInDefault, ensurePartition, partitionsOf } from '../../../server/db/dialect/partitions.ts'
import { migrations } from '../../../server/db/migrations/index.ts'
import type { Query } from '../../../server/db/types.ts'
import { postgresServer } from './postgres-support.ts'

const server = postgresServer()
const day = 86_400_000
const january = Date.UTC(2026, 0)

/** Inserts a run with its required columns. */
const addRun = (id: number, at: number, key: string | null = null): string =>
  `INSERT INTO runs (id, created_at, source, provider, model, workspace, "user", status, tokens_estimated, latency_us, reported,
    session_id, client_run_id, reporter, call_id)
   VALUES (${id}, ${at}, 1, 1, 1, 1, 1, 0, 0, 5, 1, 's', ${key === null ? 'NULL, NULL, NULL' : `'${key}', 1, 'call-${key}'`})`

const sessions = async (q: Query) => {
  const { rows } = await sql<{
    runs: number
    first_at: number
  }>`select runs, first_at from run_sessions`.execute(q)
  return rows
}

it('an earlier run log becomes the first partition, with its keys, and still keeps the sums of sessions', async () => {
  const url = await server.newDatabase()
  const before = migrations.findIndex(({ name }) => name === 'run_partitions')
  await server.open({ url, migrations: migrations.slice(0, before) })
  await server.run(url, addRun(1, january, 'a'))
  await server.run(url, addRun(2, january + day))
  const { db } = await server.open({ url, migrations })
  const [first, ...others] = await partitionsOf(db.read)
  expect(first).toMatchObject({ name: 'runs_before', from: null })
  expect(others).toEqual([])
  // It ends with a month, and its indexes are parts of the new ones.
  expect(new Date(first?.to ?? 0).toISOString()).toMatch(/-01T00:00:00\.000Z$/)
  expect(await server.run(url, `SELECT count(*)::int AS invalid FROM pg_index WHERE NOT indisvalid`)).toEqual(
    [{ invalid: 0 }],
  )
  await expect(server.run(url, addRun(3, january + 40 * day, 'a'))).rejects.toThrow(/run_keys_pkey/)
  await server.run(url, addRun(3, january - day, 'b'))
  expect(await sessions(db.read)).toEqual([{ runs: 3, first_at: january - day }])
  await server.run(url, 'DELETE FROM runs WHERE id IN (1, 3)')
  expect(await sessions(db.read)).toEqual([{ runs: 1, first_at: january + day }])
  expect(await server.run(url, 'SELECT id FROM run_keys UNION ALL SELECT id FROM run_calls')).toEqual([])
  await server.run(url, `UPDATE runs SET call_id = 'c' WHERE id = 2`)
  expect(await server.run(url, 'SELECT call_id FROM run_calls')).toEqual([{ call_id: 'c' }])
  expect((await sql`select * from run_log`.execute(db.read)).rows).toEqual([])
})

it('runs without a partition are in the default one until theirs is created', async () => {
  const { db, url } = await server.open({ migrations })
  await server.run(url, addRun(1, january + day, 'a'))
  expect(await countInDefault(db.read, 10)).toBe(1)
  const month = { from: january, to: Date.UTC(2026, 1) }
  const ensure = (at: number, around: typeof month) => db.write(({ q }) => ensurePartition(q, at, around))
  expect(await ensure(january, month)).toEqual({ name: 'runs_20260101', ...month })
  expect(await countInDefault(db.read, 10)).toBe(0)
  expect(await sessions(db.read)).toEqual([{ runs: 1, first_at: january + day }])
  expect(await server.run(url, 'SELECT client_run_id FROM run_keys')).toEqual([{ client_run_id: 'a' }])
  // Another size applies only to times without a partition.
  expect(await ensure(january + 5 * day, { from: january + 5 * day, to: january + 6 * day })).toMatchObject(
    month,
  )
  const last = { from: Date.UTC(2026, 2, 31), to: Date.UTC(2026, 3) }
  expect(await ensure(last.from, last)).toEqual({ name: 'runs_20260331', ...last })
  const march = { from: Date.UTC(2026, 2), to: Date.UTC(2026, 3) }
  expect(await ensure(march.from, march)).toEqual({ name: 'runs_20260301', from: march.from, to: last.from })
  expect((await partitionsOf(db.read)).map(({ name }) => name)).toEqual([
    'runs_20260101',
    'runs_20260301',
    'runs_20260331',
  ])
})
