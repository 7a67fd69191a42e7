import { sql } from 'kysely'
import { afterEach, describe, expect, test } from 'vitest'
import type { RunReport } from '../../../contract/runs/run.ts'
import { RunStatsQuery } from '../../../contract/runs/run-stats.ts'
import { migrations } from '../../../server/db/migrations/index.ts'
import { sqliteStatements } from '../../../server/db/migrations/migration.ts'
import { at, day, hour, openRunLog, type RunLog } from '../runs/runs-support.ts'
import { names } from '../runs/stats/stats-support.ts'

let log: RunLog
afterEach(() => log.close())

const stats = (query: Record<string, unknown> = {}) =>
  log.runs.stats(log.ctx(), RunStatsQuery.parse({ from: at(-10 * day), ...query }))

describe('the upgrade of roll-ups', () => {
  test('moves runs that have an environment into it', async () => {
    log = await openRunLog({ maxExactRuns: 0 })
    await log.add({
      env: 'prod',
      latency_ms: 1234,
      ref_key: 'greet',
      cost_usd: 0.5,
      created_at: at(-3 * day),
    })
    await log.add({ env: 'prod', status: 'error', created_at: at(-3 * day) })
    await log.add({ latency_ms: 20, created_at: at(-3 * day) })
    await log.runs.maintain()
    await log.add({ env: 'dev', total_tokens: 40, created_at: at(-2 * day) })
    const read = async () => ({
      ...(await stats({ group_by: 'env' })),
      keys: (await stats({ group_by: 'ref_key' })).groups,
      users: (await stats({ group_by: 'user' })).groups,
    })
    const before = await read()
    expect(names(before.groups, 'env').sort()).toEqual([
      [null, 1],
      ['dev', 1],
      ['prod', 2],
    ])
    await log.runs.maintain()
    await downgrade()
    await migrate('run_dimensions')
    await migrate('rollup_ttft')
    await migrate('counted_runs')
    expect(withoutOrder(await read())).toEqual(withoutOrder(before))
    await log.runs.maintain()
    expect(withoutOrder(await read())).toEqual(withoutOrder(before))
    log.settings = { ...log.settings, runRetentionDays: 1 }
    await log.runs.maintain()
    expect(await rollups()).toEqual([])
  })

  test('adds the times to first token of earlier runs', async () => {
    log = await openRunLog({ maxExactRuns: 0 })
    const runs: Partial<RunReport>[] = [
      { ttft_ms: 20, created_at: at(-9 * day), app: 'shop' },
      { ttft_ms: 0, created_at: at(-3 * day), env: 'prod', tags: ['eu'] },
      { ttft_ms: 90, created_at: at(-3 * day), env: 'prod', ref_key: 'greet', status: 'error' },
      { ttft_ms: 90, created_at: at(-hour), ref_key: 'greet', version: 'v1' },
      { created_at: at(-hour) },
    ]
    for (const run of runs) await log.add(run)
    await log.runs.maintain()
    const complete = await rollups()
    expect(await stats()).toMatchObject({ p50_ttft_ms: expect.closeTo(20, 0), exact: false })

    await execute([
      'ALTER TABLE run_rollups DROP COLUMN ttfts',
      'ALTER TABLE run_rollups DROP COLUMN ttft_us',
      `DELETE FROM meta WHERE key IN ('ttft_run_id', 'base_run_id')`,
    ])
    await migrate('rollup_ttft')
    await migrate('counted_runs')
    expect(await stats()).toMatchObject({ total: 5, p50_ttft_ms: null, p95_ttft_ms: null })
    await log.runs.maintain()
    expect(await rollups()).toEqual(complete)

    await migrateWithRuns()
    // The first run is removed before its time is added, the others after.
    log.settings = { ...log.settings, runRetentionDays: 8 }
    await log.runs.maintain()
    expect(await stats()).toMatchObject({
      total: 5,
      p50_ttft_ms: expect.closeTo(90, -1),
      p95_ttft_ms: expect.closeTo(7000, -3),
    })
    log.now += 30 * day
    await log.runs.maintain()
    expect(await rollups()).toEqual([])
  })
})

/** Migrates a second time, with a run that is reported between the migration and the background work. */
async function migrateWithRuns() {
  await execute([
    `UPDATE run_rollups SET ttfts = '', ttft_us = 0`,
    `DELETE FROM meta WHERE key IN ('ttft_run_id', 'base_run_id')`,
  ])
  await execute(statementsOf('rollup_ttft').filter((statement) => !statement.startsWith('ALTER')))
  await migrate('counted_runs')
  await log.add({ ttft_ms: 7000, created_at: at(-3 * day), env: 'prod' })
}

const rollups = async () => (await sql`SELECT * FROM run_rollups`.execute(log.db.read)).rows

const statementsOf = (name: string): readonly string[] =>
  migrations.filter((migration) => migration.name === name).flatMap(sqliteStatements)

/** Runs the statements of a migration again. */
const migrate = (name: string) => execute(statementsOf(name))

const execute = (statements: readonly string[]) =>
  log.db.write(async ({ q }) => {
    for (const statement of statements) await sql.raw(statement).execute(q)
  })

/** Percentiles may be exact before and not after the upgrade, so only counts and sums are compared. */
const withoutOrder = (found: {
  groups?: readonly object[] | undefined
  keys?: readonly object[] | undefined
  users?: readonly object[] | undefined
}) =>
  [found.groups, found.keys, found.users].map((groups) =>
    groups
      ?.map((group) => {
        const { env, ref_key, user, count, error, total_tokens, cost_usd, avg_latency_ms } = group as Record<
          string,
          unknown
        >
        return JSON.stringify({ env, ref_key, user, count, error, total_tokens, cost_usd, avg_latency_ms })
      })
      .sort(),
  )

/** Converts the roll-ups into those of migration 11, which have no environment. */
async function downgrade() {
  const old = statementsOf('runs').find((statement) => statement.includes('CREATE TABLE run_rollups')) ?? ''
  const sums = [
    'n',
    'prompt_tokens',
    'output_tokens',
    'total_tokens',
    'latency_us',
    'cost_nano',
    'cost_unknown',
  ]
  await execute([
    'ALTER TABLE run_rollups RENAME TO new_rollups',
    old,
    `INSERT INTO run_rollups
        SELECT tier, CASE slice WHEN 7 THEN 6 ELSE slice END, start, source, provider, model, workspace, ref_key, status,
          ${sums.map((column) => `sum(${column})`).join()}, group_concat(latencies, ' ')
        FROM new_rollups WHERE slice < 6 OR slice = 7
        GROUP BY tier, slice, start, source, provider, model, workspace, ref_key, status`,
    'DROP TABLE new_rollups',
    `DELETE FROM meta WHERE key IN ('rolled_up_run_id', 'ttft_run_id', 'base_run_id')`,
  ])
}
