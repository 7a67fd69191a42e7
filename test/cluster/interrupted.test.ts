import { afterAll, beforeAll, expect, it } from 'vitest'
import { model, render, slow } from '../server/workflows/workflow-support.ts'
import { openEvents } from '../support/events.ts'
import { runOnServer } from '../support/postgres/server.ts'
import { type Processes, startProcesses } from './processes.ts'

let processes: Processes
beforeAll(async () => {
  processes = await startProcesses(3)
})
afterAll(() => processes.close())

/** Begins a call of the Playground. `name` identifies its run: parameters are stored even without capture. */
const begin = (index: number, name: string, firstTokenMs: number) =>
  openEvents(processes.at(index), '/api/playground/run', {
    content: 'Hi',
    provider: 'mock',
    params: { stop: [name], mock: { first_token_ms: firstTokenMs } },
    stream: true,
  })

/** Returns the runs that an instance lists, as `name error type`. */
async function runs(index: number): Promise<string[]> {
  const { body } = await processes.call(index, 'GET /api/runs?limit=200')
  const found = await Promise.all(
    body.data.map(async ({ id, parent_id, error_type }: Record<string, unknown>) => {
      const { data } = (await processes.call(index, `GET /api/runs/${id}`)).body
      return `${parent_id === null ? data.params.stop[0] : 'step'} ${error_type ?? 'ok'}`
    }),
  )
  return found.toSorted()
}

/** Returns the calls and executions in progress, whichever instance began them. */
const inProgress = () =>
  runOnServer(
    processes.database.urlOf('postgres'),
    `SELECT id FROM call_intents UNION ALL SELECT id FROM workflow_runs WHERE status = 'running'`,
  )

it('calls and executions of an instance that was killed are interrupted by another, each once', {
  timeout: 120_000,
}, async () => {
  const created = await processes.call(0, 'POST /api/workflows', {
    key: 'flow',
    steps: [render('r'), model('m', { params: slow }), render('z')],
  })
  const path = `/api/workflows/${created.body.data.id}/run`
  const execution = await openEvents(processes.at(0), path, { stream: true })
  const started = await execution.next()
  for (let event = started; event?.data.step !== 'm'; ) event = await execution.next()
  await begin(0, 'killed', 60_000)
  const paused = await begin(1, 'paused', 2_000)
  const caller = new AbortController()
  const running = await openEvents(
    processes.at(2),
    '/api/playground/run',
    { content: 'Hi', provider: 'mock', params: { stop: ['running'], ...slow }, stream: true },
    { signal: caller.signal },
  )
  expect(running.response.status).toBe(200)
  // The calls `killed`, `paused` and `running`, the execution, and its call.
  await expect.poll(inProgress).toHaveLength(5)

  // A suspended instance sends no heartbeats, but its process still exists. It is suspended before the kill,
  // so that it does not become the leader.
  processes.at(1).child.kill('SIGSTOP')
  await processes.at(0).kill()
  const interrupted = ['killed interrupted', 'paused interrupted', 'step interrupted']
  await expect.poll(() => runs(2), { timeout: 60_000 }).toEqual(interrupted)
  const read = async () => (await processes.call(2, `GET /api/workflow-runs/${started?.data.id}`)).body.data
  await expect.poll(read, { timeout: 20_000 }).toMatchObject({
    status: 'interrupted',
    error: 'interrupted: The service stopped during the execution',
    steps: [{ status: 'ok' }, { status: 'interrupted' }, { status: 'not_run' }],
  })
  // The call of the instance that still runs is not affected.
  expect(await inProgress()).toHaveLength(1)

  // The suspended instance continues: its caller receives an error, and its run stays as it is.
  processes.at(1).child.kill('SIGCONT')
  const events = await paused.rest()
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { status: 503, code: 'store.unavailable' } })
  caller.abort()
  await expect.poll(() => runs(2)).toEqual([...interrupted, 'running cancelled'].toSorted())
  const { body } = await processes.call(2, 'GET /api/runs/stats')
  expect(body.data).toMatchObject({ total: 4, error: 4 })
  expect(await inProgress()).toEqual([])
})
