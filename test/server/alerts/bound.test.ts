import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alertFilterNames } from '../../../contract/alerts/alert.ts'
import { runStatsExample } from '../../../contract/runs/run-stats.example.ts'
import { RunStats } from '../../../contract/runs/run-stats.ts'
import { maxCombinedRuns, measure, type StatsOf } from '../../../server/features/alerts/evaluation/measure.ts'
import type { RuleRow } from '../../../server/features/alerts/rules/rules.store.ts'
import { tierOf, utc } from '../../../server/features/runs/statistics/points.ts'
import { planOf, type StatsRange } from '../../../server/features/runs/statistics/sources.ts'
import { everyRun, openRunLog, type RunLog } from '../runs/runs-support.ts'

const dayMs = 86_400_000
const noon = Date.UTC(2026, 10, 21, 12, 34, 56)

/** The runs of an alert with all of its filters and a workspace, over some days until noon. */
const rangeOf = (days: number): StatsRange => ({
  from: noon - days * dayMs,
  to: noon,
  filter: {
    ...everyRun,
    columns: Object.fromEntries([...alertFilterNames, 'workspace'].map((name, index) => [name, [index + 1]])),
    isWorkspaceFree: false,
  },
})

const rowsMsOf = (days: number): number =>
  planOf(rangeOf(days), { columns: [], interval: tierOf('day', utc) }, false)
    .pieces.filter(({ tier }) => tier === 'rows')
    .reduce((sum, { from, to }) => sum + to - from, 0)

const rule: RuleRow = {
  id: 'alert',
  name: 'Errors',
  name_folded: 'errors',
  kind: 'error_rate',
  statistic: null,
  workspace_id: null,
  filters: '{}',
  period_minutes: 1440,
  threshold: 5,
  min_runs: 1,
  enabled: 1,
  desktop: 0,
  webhook_url: null,
  webhook_local: 0,
  webhook_secret: null,
  webhook_secret_set_at: null,
  webhook_previous_secret: null,
  webhook_previous_until: null,
  created_by: 'ada',
  updated_by: 'ada',
  created_at: 0,
  updated_at: 0,
}

/** Measures an alert in a log with this number of runs. Returns the reading, and the filters of each read. */
async function measured(runs: number, filters: object) {
  const reads: string[][] = []
  const stats: StatsOf = async ({ from: _from, to: _to, interval: _interval, group_by: _by, ...given }) => {
    reads.push(Object.keys(given))
    const total = Object.keys(given).length === 0 ? runs : 10
    return { ...RunStats.parse(runStatsExample), total, ok: total, error: 0 }
  }
  const deps = {
    read: log.db.read,
    stats,
    clients: async () => [],
    startedAt: new Date(0),
    unused: new Set(''),
  }
  const one = { ...rule, filters: JSON.stringify(filters) }
  const { reading } = await measure(deps, one, { now: new Date(noon), hasSeenRuns: false })
  return { reading, reads }
}

let log: RunLog
beforeAll(async () => {
  log = await openRunLog()
})
afterAll(() => log.close())

describe('An alert with several filters', () => {
  const both = { provider: ['openai'], model: ['gpt-4o'] }

  it('is not measured in a period with more runs than it may read, and states why', async () => {
    const { reading, reads } = await measured(maxCombinedRuns + 1, both)
    expect(reads).toEqual([[]])
    expect(reading).toEqual({ value: null, reason: expect.stringContaining('at most 200000') })
  })

  it('is measured up to the limit; with one filter, whatever the number of runs', async () => {
    expect((await measured(maxCombinedRuns, both)).reading.value).toBe(0)
    const one = await measured(maxCombinedRuns + 1, { model: ['gpt-4o'] })
    expect(one.reading.value).toBe(0)
    expect(one.reads).toEqual([['model']])
  })

  it.each([1, 7, 30])('reads the rows of at most two days for a period of %i days', (days) => {
    expect(rowsMsOf(days)).toBeGreaterThan(0)
    expect(rowsMsOf(days)).toBeLessThanOrEqual(2 * dayMs)
  })

  it('would read all rows for points of hours', () => {
    const plan = planOf(rangeOf(30), { columns: [], interval: tierOf('hour', utc) }, false)
    expect(plan.slice).toBeNull()
  })
})
