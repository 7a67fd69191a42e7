import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RunStatsQuery } from '../../../contract/runs/run-stats.ts'
import { ListRunsQuery } from '../../../contract/runs/runs.ts'
import type { RunsService } from '../../../server/features/runs/runs.service.ts'
import type { Actor, Context } from '../../../server/lib/context.ts'
import { log, reopen, setUpLog } from './run-log.ts'
import { at, day, hour, noon, type RunLog } from './runs-support.ts'

setUpLog()

const statistics = [
  {},
  { from: at(-3 * day), interval: 'hour' },
  // Shares the rows of the same hours with the one before.
  { from: at(-3 * day + 90_000), interval: 'hour' },
  { from: at(-2 * day + 90_000), to: at(-day - 90_000), provider: 'openai' },
  { from: at(-3 * day), group_by: 'model', series_of: 'groups' },
  { from: at(-2 * day), compare_from: at(-6 * day), compare_series: 'true', group_by: 'provider' },
  { from: at(-2 * day), to: at(-day), provider: 'openai' },
  { workspace: 'sales', tz: 'Asia/Kolkata', interval: 'day' },
].map((query) => RunStatsQuery.parse(query))
const lists = [
  {},
  { limit: '3' },
  { provider: 'openai', sort: 'created_at' },
  { sort: '-latency_ms' },
  { workspace: 'sales', limit: '2', offset: '1' },
].map((query) => ListRunsQuery.parse(query))
type Ask = (runs: RunsService, ctx: Context) => Promise<unknown>
const statisticsAsks = statistics.map(
  (query): Ask =>
    (runs, ctx) =>
      runs.stats(ctx, query),
)
const listAsks = lists.map(
  (query): Ask =>
    (runs, ctx) =>
      runs.list(ctx, query),
)
const asks: readonly Ask[] = [...statisticsAsks, ...listAsks]
const actors: readonly Partial<Actor>[] = [
  { role: 'admin' },
  { memberships: new Map([['w-sales', 'viewer']]) },
  { memberships: new Map([['default', 'viewer']]) },
]

/** Changes the runs, or reads them. */
type Step = (log: RunLog, unshared: RunsService) => Promise<unknown>

const read: fc.Arbitrary<Step> = fc
  .record({
    ask: fc.constantFrom(...asks),
    actor: fc.constantFrom(...actors),
    later: fc.constantFrom(0, 1, hour, day),
  })
  .map(
    ({ ask, actor, later }): Step =>
      async (log, unshared) => {
        const ctx = { ...log.ctx(actor), now: new Date(noon + later) }
        const replies = await Promise.all([ask(log.runs, ctx), ask(log.runs, ctx)])
        replies.push(await ask(log.runs, ctx))
        const expected = await ask(unshared, ctx)
        expect(replies).toEqual([expected, expected, expected])
      },
  )
const add: fc.Arbitrary<Step> = fc
  .record({
    provider: fc.constantFrom('openai', 'claude'),
    workspace_id: fc.constantFrom('default', 'sales', 'lab'),
    latency_ms: fc.nat(1000),
    created_at: fc.nat(7 * day).map((ago) => at(-ago)),
  })
  .map(
    (report): Step =>
      (log) =>
        log.add(report),
  )
const compact = fc.constant<Step>((log) => log.runs.maintain())
const step = fc.oneof(
  { weight: 5, arbitrary: read },
  { weight: 3, arbitrary: add },
  { weight: 1, arbitrary: compact },
)

test('shared replies equal those computed for each reader, whatever is written in between', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      await reopen({ maxExactRuns: 4 })
      const unshared = log.unshared()
      try {
        for (const take of steps) await take(log, unshared)
      } finally {
        await unshared.close()
      }
    }),
    { numRuns: 10 },
  )
})

test('statistics and pages are computed once until a run is stored', async () => {
  const ask = () =>
    Promise.all([...statisticsAsks.slice(0, 1), ...listAsks.slice(0, 1)].map((of) => of(log.runs, log.ctx())))
  await log.add()
  const [stats, page] = await ask()
  const again = await ask()
  expect(again[0]).toBe(stats)
  expect(again[1]).toBe(page)
  await log.add()
  expect(await ask()).toMatchObject([{ total: 2 }, { total: 2 }])
})
