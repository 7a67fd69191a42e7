import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunReport } from '../../../../contract/runs/run.ts'
import { minimal, openRunLog, type RunLog } from '../runs-support.ts'

let log: RunLog
beforeAll(async () => {
  log = await openRunLog()
})
afterAll(() => log.close())

const reportAll = async (reports: readonly Partial<RunReport>[]): Promise<number[]> =>
  (await Promise.all(reports.map((report) => log.add(report)))).map(({ id }) => id)

it('single reports at the same time share transactions, and each is stored once', async () => {
  await log.add()
  const before = log.db.status().committed
  const ids = await reportAll(
    Array.from({ length: 60 }, (_, index) => ({ client_run_id: `run-${index % 30}`, latency_ms: index })),
  )
  // The first one does not wait for the others.
  expect(log.db.status().committed - before).toBe(2)
  expect(new Set(ids).size).toBe(30)
  expect(ids.slice(0, 30)).toEqual(ids.slice(30))
  expect(await reportAll([{ client_run_id: 'run-3' }])).toEqual([ids[3]])
})

it('reports of the same call in one transaction are one run', async () => {
  const span = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) }
  const [alone, first, second, third, other] = await reportAll([
    {},
    { response_id: 'reply-1' },
    { response_id: 'reply-1', ...span },
    span,
    { ...span, span_id: 'c'.repeat(16) },
  ])
  expect(second).toBe(first)
  // The second report was not stored, so its span is unknown.
  expect(new Set([alone, first, third, other]).size).toBe(4)
  expect(await reportAll([span])).toEqual([third])
})

it('the parent of a run may be in the same transaction', async () => {
  const parent = (await log.add()).id + 1
  const child = { ...minimal, client_run_id: 'child', parent_id: String(parent) }
  const [, , stored] = await Promise.all([log.add(), log.add(), log.runs.report(log.ctx(), [child])])
  expect(stored).toEqual([{ id: parent + 2 }])
  expect(await log.runs.get(log.ctx(), parent + 2)).toMatchObject({ parent_id: String(parent) })
})
