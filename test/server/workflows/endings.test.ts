import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { isOnPostgres } from '../../support/postgres/databases.ts'
import { startTestServer } from '../../support/service.ts'
import { server, setUpService } from '../file-service.ts'
import {
  agent,
  brokenAgent,
  eventually,
  execution,
  makeWorkflow,
  model,
  render,
  runsOf,
  slow,
  stepOf,
  streamed,
  traceOf,
} from './workflow-support.ts'

setUpService()

describe('an execution is ended', () => {
  const begin = async (target = server) => {
    const id = await makeWorkflow(target, [render('r'), model('m', { params: slow }), render('z')])
    const stream = await streamed(target, `/api/workflows/${id}/run`, {})
    const first = await stream.next()
    await stream.until(({ event, data }) => event === 'step_started' && data.step === 'm')
    return { id: String(first?.data.id), stream }
  }
  it('by cancelling: shown in the reply, the record and the run log', async () => {
    const { id, stream } = await begin()
    expect(await execution(server, id)).toMatchObject({
      status: 'running',
      steps: [{ status: 'ok' }, { status: 'running' }, { status: 'not_run' }],
    })
    const reply = await server.call(`POST /api/workflow-runs/${id}/cancel`)
    expect(reply.body.data).toMatchObject({ status: 'cancelled', resumable: true })
    const done = (await stream.rest()).at(-1)
    expect(done).toMatchObject({ event: 'done', data: { status: 'cancelled' } })
    expect(traceOf(done?.data)).toEqual(['r:ok', 'm:cancelled', 'z:not_run'])
    expect(await runsOf(server, id)).toMatchObject([
      { status: 'error', error: expect.stringMatching(/^cancelled: /) },
    ])
    const again = await server.call(`POST /api/workflow-runs/${id}/cancel`)
    expect(again.body.data.status).toBe('cancelled')
  })
  it('by its own user; for others an editor is needed', async () => {
    const viewer = await server.signedIn('viewer')
    const { id, stream } = await begin()
    const refused = await server.call(`POST /api/workflow-runs/${id}/cancel`, { token: viewer.token })
    expect(refused).toMatchObject({ status: 403, body: { required_role: 'editor' } })
    const editor = await server.signedIn('editor')
    expect((await server.call(`POST /api/workflow-runs/${id}/cancel`, { token: editor.token })).status).toBe(
      200,
    )
    await stream.rest()
  })
  it('by disconnecting', async () => {
    const { id, stream } = await begin()
    stream.disconnect()
    const ended = await eventually(
      () => execution(server, id),
      ({ status }) => status !== 'running',
    )
    expect(ended.status).toBe('cancelled')
    expect(await runsOf(server, id)).toHaveLength(1)
  })
  it('by disconnecting from a JSON reply, and runs again for the same Idempotency-Key', async () => {
    const id = await makeWorkflow(server, [render('r'), model('m', { params: slow })])
    const path = `/api/workflows/${id}/run`
    const headers = {
      authorization: `Bearer ${server.config.serviceToken}`,
      'content-type': 'application/json',
      'idempotency-key': 'left',
    }
    for (const number of [1, 2]) {
      const caller = new AbortController()
      const waiting = fetch(server.url + path, { method: 'POST', headers, body: '{}', signal: caller.signal })
      const left = expect(waiting).rejects.toThrow(/abort/i)
      const executions = async () => (await server.call(`GET /api/workflows/${id}/runs`)).body.data
      await eventually(executions, (rows) => rows.length === number)
      caller.abort()
      await left
      await eventually(executions, ([row]) => row.status === 'cancelled')
    }
  })
  it('by stopping the service: it is interrupted, including its call', async () => {
    const target = await startTestServer()
    try {
      const { id, stream } = await begin(target)
      // The time limit for requests never passes: the connection ends with its reply.
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      await target.stop().finally(() => vi.useRealTimers())
      expect((await stream.rest()).at(-1)).toMatchObject({ event: 'done', data: { status: 'interrupted' } })
      await target.restart()
      const record = await execution(target, id)
      expect(record).toMatchObject({
        status: 'interrupted',
        resumable: false,
        resume_reason: expect.stringContaining('only stored in memory'),
      })
      expect(traceOf(record)).toEqual(['r:ok', 'm:interrupted', 'z:not_run'])
      expect(await runsOf(target, id)).toMatchObject([{ error: expect.stringMatching(/^interrupted: /) }])
    } finally {
      await target.close()
    }
  })
})

// The copy of the data folder is what a kill leaves of the embedded store only.
if (!isOnPostgres)
  describe('a service that is killed during an execution', () => {
    it('leaves an interrupted record with the completed steps, from which it resumes if outputs were captured', async () => {
      const first = await startTestServer()
      const copy = await mkdtemp(join(tmpdir(), 'promptdeck-test-'))
      await first.call('PATCH /api/settings', { body: { capture: 'full' } })
      const broken = await brokenAgent(first, 'slow', { tokens_per_second: 0.01 })
      const id = await makeWorkflow(first, [
        render('r', 'Hi {{who}}'),
        agent('a', 'slow'),
        render('z', '{{input}}.'),
      ])
      const stream = await streamed(first, `/api/workflows/${id}/run`, { variables: { who: 'world' } })
      const started = await stream.next()
      await stream.until(({ event, data }) => event === 'delta' && data.step === 'a')
      const steps = ['b', 'c'].map((name) => agent(name, 'slow'))
      const both = await makeWorkflow(first, [{ name: 'p', type: 'parallel', steps }])
      const parallel = await streamed(first, `/api/workflows/${both}/run`, {})
      const parallelId = String((await parallel.next())?.data.id)
      const called = new Set<string>()
      await parallel.until(({ event, data }) => event === 'delta' && called.add(data.step).size === 2)
      // The content of the disk now is what a kill would leave.
      await cp(first.dataDir, copy, {
        recursive: true,
        filter: (path) => !/[/\\](?:owner\.json|run)$/.test(path),
      })
      stream.disconnect()
      parallel.disconnect()
      const second = await startTestServer({ dataDir: copy })
      try {
        const runId = String(started?.data.id)
        const found = await execution(second, runId)
        expect(found).toMatchObject({
          status: 'interrupted',
          input: '',
          variables: { who: 'world' },
          resumable: true,
        })
        expect(traceOf(found)).toEqual(['r:ok', 'a:interrupted', 'z:not_run'])
        expect(stepOf(found, 'r').output).toBe('Hi world')
        const [call] = await runsOf(second, runId)
        expect(stepOf(found, 'a')).toMatchObject({ attempts: 1, run_id: call.id, run_ids: [call.id] })
        const unfinished = await execution(second, parallelId)
        const ids = (await runsOf(second, parallelId)).map(({ id: call }: { id: number }) => call)
        // It is unknown which of the steps made which call.
        expect(unfinished).toMatchObject({ run_count: 2, cost_usd: null })
        expect(stepOf(unfinished, 'p').run_ids).toEqual(ids.toSorted((a: number, b: number) => a - b))
        await broken.repair(second)
        const resumed = await second.call(`POST /api/workflow-runs/${runId}/resume`)
        expect(resumed.body).toMatchObject({
          status: 'ok',
          output: 'mock completion (mock-small): Do Hi world.',
        })
        expect((await execution(second, resumed.body.id)).steps[0]).toMatchObject({
          taken_over: true,
          output: 'Hi world',
        })
      } finally {
        await second.close()
        await first.close()
        await rm(copy, { recursive: true, force: true })
      }
    })
  })
