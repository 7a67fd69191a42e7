import { afterAll, beforeAll, expect, it } from 'vitest'
import { queryOver, runnerOf } from '../../../../server/db/dialect/query.ts'
import { runStore } from '../../../../server/features/runs/store/runs.store.ts'
import { openRunLog, type RunLog } from '../runs-support.ts'

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
