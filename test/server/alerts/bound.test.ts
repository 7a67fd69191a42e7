import { describe, expect, it } from 'vitest'
import { alertFilterNames } from '../../../contract/alerts/alert.ts'
import { tierOf, utc } from '../../../server/features/runs/statistics/points.ts'
import { planOf, type StatsRange } from '../../../server/features/runs/statistics/sources.ts'

const dayMs = 86_400_000
const none = { columns: {}, statuses: undefined, tags: undefined }
const noon = Date.UTC(2026, 10, 21, 12, 34, 56)

/** The runs of an alert with all of its filters and a workspace, over some days until noon. */
const rangeOf = (days: number): StatsRange => ({
  from: noon - days * dayMs,
  to: noon,
  filter: {
    ...none,
    columns: Object.fromEntries([...alertFilterNames, 'workspace'].map((name, index) => [name, [index + 1]])),
    excluded: none,
    from: undefined,
    to: undefined,
    ranges: [],
    present: [],
    absent: [],
    metadata: [],
    words: [],
  },
})

const rowsMsOf = (days: number): number =>
  planOf(rangeOf(days), { columns: [], interval: tierOf('day', utc) }, false)
    .pieces.filter(({ tier }) => tier === 'rows')
    .reduce((sum, { from, to }) => sum + to - from, 0)

describe('An alert with several filters', () => {
  it.each([1, 7, 30])('reads the rows of at most two days for a period of %i days', (days) => {
    expect(rowsMsOf(days)).toBeGreaterThan(0)
    expect(rowsMsOf(days)).toBeLessThanOrEqual(2 * dayMs)
  })

  it('would read all rows for points of hours', () => {
    const plan = planOf(rangeOf(30), { columns: [], interval: tierOf('hour', utc) }, false)
    expect(plan.slice).toBeNull()
  })
})
