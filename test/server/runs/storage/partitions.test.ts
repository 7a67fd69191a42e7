import { sql } from 'kysely'
import { afterEach, describe, expect, it } from 'vitest'
import type { RunReport } from '../../../../contract/runs/run.ts'
import { RunStatsQuery } from '../../../../contract/runs/run-stats.ts'
import { partitionsOf } from '../../../../server/db/dialect/partitions.ts'
import { isOnPostgres } from '../../../support/postgres/databases.ts'
import { day, hour, minimal, minute, noon, openRunLog, type RunLog } from '../runs-support.ts'

const midnight = noon - 12 * hour
const opened: RunLog[] = []
const open = async (): Promise<RunLog> => {
  const log = await openRunLog({ partitionBy: 'day' })
  opened.push(log)
  return log
}
afterEach(async () => {
  for (const log of opened.splice(0)) await log.close()
})

/** Reports runs of several days: `each` selects by the number of days before the current one. */
async function report(log: RunLog, each: (age: number) => boolean): Promise<void> {
  for (let age = 6; age > 0; age -= 1) {
    if (!each(age)) continue
    const runs = Array.from({ length: 12 }, (_, index) => runOf(age, index))
    await log.runs.report(log.ctx(), runs)
  }
}

const every = <T>(n: number, index: number, value: T): T | undefined => (index % n === 0 ? value : undefined)

const runOf = (age: number, index: number): RunReport => ({
  ...minimal,
  model: `model-${index % 3}`,
  ref_key: every(2, index, 'greet'),
  version: every(2, index, String(index)),
  status: every(5, index, 'error' as const) ?? 'ok',
  error: every(5, index, 'failed'),
  error_type: every(5, index, `type-${index}`),
  latency_ms: 10 * (index + age),
  ttft_ms: every(4, index, 3 + age),
  prompt_tokens: index,
  output_tokens: 1,
  tags: [`tag-${index % 2}`],
  session_id: `session-${index % 4}`,
  client_run_id: `run-${age}-${index}`,
  created_at: new Date(midnight - age * day + index * 100 * minute).toISOString(),
})

/** Everything that counts runs. */
async function figures(log: RunLog): Promise<unknown> {
  const stats = (query: object) => log.runs.stats(log.ctx(), RunStatsQuery.parse(query))
  const from = new Date(midnight - 40 * day).toISOString()
  const groups = await Promise.all(
    (['ref_key', 'version', 'tag', 'error_type'] as const).map((dimension) =>
      stats({ from, group_by: dimension }),
    ),
  )
  const months = await stats({ from: new Date(midnight - 60 * day).toISOString(), group_by: 'model' })
  const sessions = await log.db.read.selectFrom('run_sessions').selectAll().orderBy('session_id').execute()
  return { groups, months, sessions: sessions.map(({ workspace: _, ...sums }) => sums) }
}

describe('expired days of the run log', () => {
  it('leave statistics, sessions and keys as if their runs had never been reported', async () => {
    const [log, expected] = [await open(), await open()]
    await report(log, () => true)
    await log.runs.maintain()
    // Some runs are not in the roll-ups yet when their day is removed.
    await report(expected, (age) => age <= 3)
    log.settings = { ...log.settings, runRetentionDays: 3 }
    log.now = noon - 12 * hour
    expect(await log.runs.maintain()).toEqual({ removed: 3 * 12 })
    log.now = noon
    await expected.runs.maintain()
    expect(await figures(log)).toEqual(await figures(expected))
    expect(log.errors).toEqual([])

    const days = (await partitionsOf(log.db.read)).map(({ from }) => from)
    if (isOnPostgres) {
      expect(days[0]).toBe(midnight - 3 * day)
      // The next days exist in advance.
      expect(days.at(-1)).toBe(midnight + 2 * day)
      const { rows } = await sql<{ n: number }>`select count(*) as n from run_keys`.execute(log.db.read)
      expect(rows).toEqual([{ n: 3 * 12 }])
    } else expect(days).toEqual([])
  })

  it('are removed as whole days, or one by one where a partition has more', async () => {
    const log = await open()
    await report(log, () => true)
    log.settings = { ...log.settings, runRetentionDays: 3 }
    // The oldest day of the retention has expired up to noon.
    const { removed } = await log.runs.maintain()
    expect(removed).toBe(3 * 12 + (isOnPostgres ? 0 : 8))
    log.now = noon + 12 * hour
    expect((await log.runs.maintain()).removed).toBe(isOnPostgres ? 12 : 4)
  })
})

it('a report with another time and the same client_run_id is the same run', async () => {
  const log = await open()
  const at = (age: number) => new Date(noon - age * day).toISOString()
  const first = await log.add({ client_run_id: 'a', created_at: at(3) })
  const again = await log.add({ client_run_id: 'a', created_at: at(40) })
  expect(again.id).toBe(first.id)
  await expect(log.db.write(({ q }) => sql`insert into runs select * from runs`.execute(q))).rejects.toThrow(
    /unique|duplicate/i,
  )
  expect((await log.runs.list(log.ctx(), { limit: 10 })).total).toBe(1)
})
