import { describe, expect, it } from 'vitest'
import { workflowEvents } from '../../../contract/workflows/workflow-run.ts'
import { hello, server, setUpService } from './runs-support.ts'
import { type Data, makeWorkflow, model, render, runWorkflow, streamed } from './workflow-support.ts'

setUpService()

describe('streaming', () => {
  it("sends each step's start and end, model output in between, then the complete result", async () => {
    const id = await makeWorkflow(server, hello)
    const stream = await streamed(server, `/api/workflows/${id}/run`, { variables: { who: 'you' } })
    const events = await stream.rest()
    for (const { event, data } of events)
      expect(workflowEvents[event as keyof typeof workflowEvents].parse(data)).toEqual(data)
    const shape = events.map(({ event, data }) => [event, data.step ?? data.name].filter(Boolean).join(' '))
    expect(shape.filter((event) => event !== 'delta m')).toEqual([
      'started',
      'step_started r',
      'step r',
      'step_started m',
      'step m',
      'step_started u',
      'step u',
      'done',
    ])
    const text = events
      .filter(({ event }) => event === 'delta')
      .map(({ data }) => data.text)
      .join('')
    expect(text).toBe('mock completion (mock-small): Hi you')
    const done = events.at(-1)?.data
    expect(events[0]?.data).toMatchObject({ id: done.id, run: { status: 'running' } })
    expect(done).toMatchObject({ status: 'ok', output: text.toUpperCase() })
    expect(events.filter(({ event }) => event === 'step').map(({ data }) => data)).toEqual(done.steps)
  })
  it('refuses an invalid request with 422 instead of a stream', async () => {
    const id = await makeWorkflow(server, hello)
    expect((await streamed(server, `/api/workflows/${id}/run`, {})).response.status).toBe(422)
  })
  it('runs parallel steps concurrently, and returns their outputs in the order of definition', async () => {
    const steps = [
      {
        name: 'p',
        type: 'parallel',
        steps: [
          model('2', { template: 'late', params: { mock: { first_token_ms: 150 } } }),
          model('1', { template: 'soon' }),
        ],
      },
    ]
    const stream = await streamed(server, `/api/workflows/${await makeWorkflow(server, steps)}/run`, {})
    const events = await stream.rest()
    const shape = events
      .filter(({ event }) => event.startsWith('step'))
      .map(({ event, data }) => `${event} ${data.step ?? data.name}`)
    expect(shape).toEqual([
      'step_started p',
      'step_started 2',
      'step_started 1',
      'step 1',
      'step 2',
      'step p',
    ])
    expect(events.at(-1)?.data.output).toBe(
      '{"2":"mock completion (mock-small): late","1":"mock completion (mock-small): soon"}',
    )
  })
})

describe('the list of executions', () => {
  it('is filtered and paged, and refuses unknown parameters', async () => {
    const one = await makeWorkflow(server, [render('a')], 'list/one')
    const two = await makeWorkflow(
      server,
      [{ name: 'j', type: 'transform', op: 'json_path', path: '$.a' }],
      'list/two',
    )
    for (let n = 0; n < 3; n++) await runWorkflow(server, one)
    await runWorkflow(server, two)
    const keys = async (query: string) =>
      (await server.call(`GET /api/workflow-runs?${query}`)).body.data.map((run: Data) => run.workflow_key)
    expect(await keys('q=list')).toEqual(['list/two', 'list/one', 'list/one', 'list/one'])
    expect(await keys('q=list&status=error')).toEqual(['list/two'])
    expect(await keys(`workflow_id=${one}&sort=created_at&limit=2`)).toEqual(['list/one', 'list/one'])
    expect(await keys('key=list/two&workspace=default&user=service-token')).toEqual(['list/two'])
    expect(await keys('q=list&from=2999-01-01')).toEqual([])
    const page = await server.call('GET /api/workflow-runs?q=list&limit=3')
    expect(page.body.total).toBe(4)
    expect(await keys(`q=list&limit=3&cursor=${page.body.next_cursor}`)).toEqual(['list/one'])
    expect((await server.call('GET /api/workflow-runs?colour=red')).status).toBe(422)
    expect((await server.call('GET /api/workflow-runs/nothing')).status).toBe(404)
  })
})
