import { afterAll, beforeAll, expect, it } from 'vitest'
import { queryOver, runnerOf } from '../../../../server/db/dialect/query.ts'
import { countMatches } from '../../../../server/features/runs/query/matches.read.ts'
import type { RunFilter } from '../../../../server/features/runs/store/filters.ts'
import { runStore } from '../../../../server/features/runs/store/runs.store.ts'
import { everyRun, openRunLog, type RunLog } from '../runs-support.ts'

let log: RunLog
beforeAll(async () => {
  log = await openRunLog()
})
afterAll(() => log.close())

/** Returns the indexes that SQLite uses for the statement of a query. */
async function planOf(read: (q: RunLog['db']['read']) => Promise<unknown>): Promise<string[]> {
  const { dialect, execute } = runnerOf(log.db.read)
  const statements: { text: string; parameters: readonly unknown[] }[] = []
  await read(
    queryOver({
      dialect,
      execute(text, parameters) {
        statements.push({ text, parameters })
        return execute(text, parameters)
      },
    }),
  )
  const plans: string[] = []
  for (const { text, parameters } of statements) {
    const { rows } = await execute(`EXPLAIN QUERY PLAN ${text}`, parameters)
    plans.push(...rows.map((row) => String((row as { readonly detail: unknown }).detail)))
  }
  return plans
}

// In the index of the workspace, each call through the gateway would read all runs of two days.
it('the run of the same response is found by the id of the response, not by its workspace', async () => {
  const of = { response_id: 'reply', workspace: 1, reported: 1, from: 0, to: 1 }
  const plan = await planOf((q) => runStore.findResponse(q, of))
  expect(plan).toEqual([expect.stringContaining('USING INDEX runs_response_id (response_id=?')])
})

it('the run of the same span is found by the id of the span', async () => {
  const of = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), workspace: 1, reported: 1 }
  const plan = await planOf((q) => runStore.findSpan(q, of))
  expect(plan).toEqual([expect.stringContaining('USING INDEX runs_span_id (span_id=? AND trace_id=?')])
})

const slow = { column: 'latency_us', min: 6_000_000, max: undefined } as const

// At 1,000,000 runs the index of a value has 100,000 and more, whose rows SQLite would read to count.
it.each([
  ['failed runs of an app', { statuses: [1], columns: { app: [1] } }, 'runs_failed'],
  ['failed and slow runs', { statuses: [1], ranges: [slow] }, 'runs_'],
  ['slow runs of a provider', { columns: { provider: [1] }, ranges: [slow] }, 'runs_slow'],
  ['runs with an error', { present: ['error'] }, 'runs_with_error'],
  ['runs with an error of some apps', { present: ['error'], columns: { app: [1, 2] } }, 'runs_with_error'],
  ['runs without a cost', { absent: ['cost_nano'] }, 'runs_without_cost'],
] satisfies [string, Partial<RunFilter>, string][])(
  '%s are counted in an index of their own',
  async (_name, filter, index) => {
    await log.add()
    const plan = await planOf((q) => countMatches(q, { ...everyRun, ...filter }, 10))
    expect(plan).toContainEqual(expect.stringContaining(`SEARCH runs USING COVERING INDEX ${index}`))
  },
)
