import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workflowEvents } from '../../../contract/workflows/workflow-run.ts'
import { movableClock, watch } from '../../support/scenario.ts'
import { startTestServer, type TestServer } from '../../support/service.ts'
import {
  agent,
  brokenAgent,
  type Data,
  eventually,
  execution,
  make,
  makeWorkflow,
  model,
  render,
  runsOf,
  runWorkflow,
  slow,
  stepOf,
  streamed,
  traceOf,
} from './workflow-support.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

const hello = [render('r', 'Hi {{who}}'), model('m'), { name: 'u', type: 'transform', op: 'upper' }]

describe('a run', () => {
  it('executes render, model and transform steps; runs, statistics and the record show it immediately', async () => {
    const watcher = await watch(server)
    const id = await makeWorkflow(server, hello, 'hello')
    const { result: reply, audit } = await watcher.during(() =>
      runWorkflow(server, id, { variables: { who: 'world' } }),
    )
    await watcher.close()
    expect(reply.output).toBe('MOCK COMPLETION (MOCK-SMALL): HI WORLD')
    expect(reply).toMatchObject({
      status: 'ok',
      run: { status: 'ok', run_count: 1, steps_done: 3, workflow_key: 'hello', version: 'v1' },
    })
    expect(reply.steps).toMatchObject([
      { name: 'r', input: '', output: 'Hi world', run_id: null },
      {
        name: 'm',
        input: 'Hi world',
        output: 'mock completion (mock-small): Hi world',
        attempts: 1,
        provider: 'mock',
        model: 'mock-small',
      },
      { name: 'u', input: 'mock completion (mock-small): Hi world' },
    ])
    // Executions are not mutations: only the run log and the record contain them.
    expect(audit).toEqual([])
    const [run, ...others] = await runsOf(server, reply.id)
    expect(others).toEqual([])
    expect(run).toMatchObject({
      id: stepOf(reply, 'm').run_id,
      source: 'workflow',
      ref_key: 'hello',
      version: 'v1',
      parent_id: reply.id,
    })
    const stats = await server.call('GET /api/runs/stats?ref_key=hello')
    expect(stats.body.data).toMatchObject({ total: 1, ok: 1, total_tokens: reply.run.total_tokens })
    expect((await server.call(`GET /api/workflows/${id}/runs`)).body.data).toEqual([reply.run])
    expect((await server.call('GET /api/audit?resource=workflow&key=hello')).body.data).toMatchObject([
      { action: 'create' },
    ])
  })

  it('passes the input to the first step, and each output to the next', async () => {
    const id = await makeWorkflow(server, [
      render('a', '[{{input}}]'),
      { name: 'b-1', type: 'transform', op: 'trim', template: '  {{steps.a.output}}  ' },
      render('c', '{{input}}/{{ steps.b-1.output }}/{{x.y}}'),
    ])
    expect((await runWorkflow(server, id, { input: 'in', variables: { x: { y: 7 } } })).output).toBe(
      '[in]/[in]/7',
    )
  })

  it.each([
    ['a value', '{"a":[{"b":"x"},{"b":2}]}', '$.a[0].b', 'x'],
    ['several', '{"a":[{"b":"x"},{"b":2}]}', '$.a[*].b', '["x",2]'],
    ['an object', '{"a":{"b":1}}', '$.a', '{"b":1}'],
    ['a filtered value', '[{"n":1},{"n":5}]', '$[?@.n > 2].n', '5'],
    ['a value in a code block', '```json\n{"a":1}\n```', '$.a', '1'],
    ['nothing from text that is not JSON', 'hello', '$.a', null],
    ['nothing at a missing path', '{"a":1}', '$.b', null],
    ['nothing from inherited members', '{}', '$.constructor', null],
  ])('extracts %s by json_path', async (_name, input, path, output) => {
    const id = await makeWorkflow(server, [{ name: 'j', type: 'transform', op: 'json_path', path }])
    const reply = await runWorkflow(server, id, { input })
    expect(reply.output).toBe(output)
    expect(reply.status).toBe(output === null ? 'error' : 'ok')
    if (output === null)
      expect(reply.run).toMatchObject({ failed_step: 'j', error: expect.stringMatching(/^json_path: /) })
  })

  it.each([
    ['yes', true],
    ['', false],
    ['  ', false],
    ['False', false],
    ['0', false],
    ['no', false],
    ['{{input}}', true],
    [{ value: '{{input}}', op: 'equals', to: 'in' }, true],
    [{ value: '{{input}}', op: 'not_equals', to: 'in' }, false],
    [{ value: '{{input}}', op: 'contains', to: 'n' }, true],
    [{ value: '{{input}}', op: 'not_contains', to: 'n' }, false],
    [{ value: '10', op: 'greater', to: '9' }, true],
    [{ value: '10', op: 'less', to: '9' }, false],
    [{ value: ' ', op: 'is_empty' }, true],
    [{ value: ' ', op: 'not_empty' }, false],
  ])('when %j: %s', async (when, isTrue) => {
    const id = await makeWorkflow(server, [
      render('maybe', 'done', { when }),
      {
        name: 'c',
        type: 'condition',
        when,
        // biome-ignore lint/suspicious/noThenProperty: a name of the wire
        then: [render('t', 'T{{input}}')],
        else: [render('e', 'E{{input}}')],
      },
    ])
    const reply = await runWorkflow(server, id, { input: 'in' })
    const [status, before] = isTrue ? ['ok', 'done'] : ['skipped', 'in']
    expect(stepOf(reply, 'maybe')).toMatchObject({ status, output: before })
    if (typeof when === 'string' || !when.value.includes('input')) {
      expect(reply.output).toBe(`${isTrue ? 'T' : 'E'}${before}`)
      expect(stepOf(reply, 'c').branch).toBe(isTrue ? 'then' : 'else')
      expect(stepOf(reply, isTrue ? 'e' : 't').status).toBe('skipped')
    }
  })
  it('fails if a numeric comparison has a value that is not a number', async () => {
    const id = await makeWorkflow(server, [
      render('a', 'x', { when: { value: 'many', op: 'greater', to: '1' } }),
    ])
    expect((await runWorkflow(server, id)).run.error).toBe('condition: value is not a number: many')
  })

  it('limits the size of texts', async () => {
    const doubling = Array.from({ length: 40 }, (_, n) => render(`d${n}`, '{{input}}{{input}}'))
    const reply = await runWorkflow(server, await makeWorkflow(server, doubling), { input: 'abcd' })
    expect(reply.run).toMatchObject({
      status: 'error',
      error: 'too_large: The text would be larger than 1 MiB',
    })
  })

  it('never treats a value as a template', async () => {
    const id = await makeWorkflow(server, [render('a', '{{x}}'), render('b', '{{input}}|{{steps.a.output}}')])
    const reply = await runWorkflow(server, id, { variables: { x: '{{secret}} {{steps.b.output}}' } })
    expect(reply.output).toBe('{{secret}} {{steps.b.output}}|{{secret}} {{steps.b.output}}')
  })

  it('runs an older version on request', async () => {
    const id = await makeWorkflow(server, [render('a', 'old')])
    await server.call(`PATCH /api/workflows/${id}`, { body: { steps: [render('a', 'new')] } })
    expect(await runWorkflow(server, id, { version: 1 })).toMatchObject({
      output: 'old',
      run: { version: 'v1' },
    })
    expect(
      (await server.call(`POST /api/workflows/${id}/run`, { body: { version: 'v5' } })).body.errors[0].path,
    ).toBe('version')
  })

  it.each([
    ['a variable is missing', hello, {}, ['variables.who']],
    [
      'a variable has a reserved name',
      hello,
      { variables: { who: 'x', input: 'y', 'steps.r.output': 'z' } },
      ['variables.input', 'variables.steps.r.output'],
    ],
    ['an agent is missing', [agent('a', 'nobody')], {}, ['steps.0.agent_key']],
  ])('is refused, and nothing is stored, when %s', async (_name, steps, body, fields) => {
    const id = await makeWorkflow(server, steps)
    const reply = await server.call(`POST /api/workflows/${id}/run`, { body })
    expect(reply.status).toBe(422)
    expect(reply.body.errors.map((error: Data) => error.path)).toEqual(fields)
    expect((await server.call(`GET /api/workflows/${id}/runs`)).body.total).toBe(0)
  })

  it('calls an agent with the given variables, as a run of the workflow', async () => {
    await make(server, '/api/agents', {
      key: 'echo',
      content: '{{input}}: {{a}}',
      messages: [{ role: 'system', content: 'x' }],
    })
    const id = await makeWorkflow(
      server,
      [render('r', 'in'), agent('e', 'echo', { variables: { a: '{{v}}!' } })],
      'with-agent',
    )
    const reply = await runWorkflow(server, id, { variables: { v: 'V' } })
    expect(reply.output).toBe('mock completion (mock-small): in: V!')
    expect(await runsOf(server, reply.id)).toMatchObject([{ source: 'workflow', ref_key: 'with-agent' }])
  })

  it('returns the first reply to a repeated Idempotency-Key', async () => {
    const id = await makeWorkflow(server, hello)
    const options = { body: { variables: { who: 'x' } }, headers: { 'idempotency-key': 'run-once' } }
    const first = await server.call(`POST /api/workflows/${id}/run`, options)
    expect((await server.call(`POST /api/workflows/${id}/run`, options)).body.id).toBe(first.body.id)
    expect((await server.call(`GET /api/workflows/${id}/runs`)).body.total).toBe(1)
  })
})

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

describe('failing', () => {
  it('keeps the trace, and resumes from the failed step', async () => {
    const broken = await brokenAgent(server, 'repairable')
    const steps = [
      render('r', 'Hi {{who}}'),
      model('m'),
      agent('a', 'repairable'),
      { name: 'u', type: 'transform', op: 'upper' },
    ]
    const id = await makeWorkflow(server, steps)
    const failed = await runWorkflow(server, id, { variables: { who: 'world' } })
    expect(failed).toMatchObject({
      status: 'error',
      output: null,
      run: { failed_step: 'a', resumable: true, run_count: 2, steps_done: 2 },
    })
    expect(traceOf(failed)).toEqual(['r:ok', 'm:ok', 'a:error', 'u:not_run'])
    expect(stepOf(failed, 'a')).toMatchObject({
      error: failed.run.error,
      input: 'Do mock completion (mock-small): Hi world',
      run_id: expect.any(Number),
    })
    expect((await runsOf(server, failed.id)).map((run) => run.status)).toEqual(['ok', 'error'])

    await broken.repair()
    const resumed = await server.call(`POST /api/workflow-runs/${failed.id}/resume`)
    expect(resumed.status).toBe(200)
    expect(resumed.body).toMatchObject({
      status: 'ok',
      output: 'MOCK COMPLETION (MOCK-SMALL): DO MOCK COMPLETION (MOCK-SMALL): HI WORLD',
      run: { resumed_from: failed.id, resumed_step: 'a', version: 'v1', run_count: 1, steps_done: 4 },
    })
    expect(resumed.body.steps.map((step: Data) => [step.name, step.taken_over])).toEqual([
      ['r', true],
      ['m', true],
      ['a', false],
      ['u', false],
    ])
    expect(stepOf(resumed.body, 'm').run_id).toBe(stepOf(failed, 'm').run_id)
    expect(await runsOf(server, resumed.body.id)).toHaveLength(1)
    expect((await execution(server, failed.id)).status).toBe('error')
  })
  it('cannot resume a successful or missing execution', async () => {
    const done = await runWorkflow(server, await makeWorkflow(server, [render('a')]))
    const reply = await server.call(`POST /api/workflow-runs/${done.id}/resume`)
    expect(reply.status).toBe(422)
    expect(reply.body.detail).toContain('It succeeded')
    expect((await server.call('POST /api/workflow-runs/nothing/resume')).status).toBe(404)
  })
  it('retries up to the limit, each attempt a run, within its time limit', async () => {
    await brokenAgent(server, 'never', { fail: 'middle' })
    const id = await makeWorkflow(server, [agent('a', 'never', { retry: { max: 2, backoff_ms: 1 } })])
    const reply = await runWorkflow(server, id)
    const step = stepOf(reply, 'a')
    expect(step).toMatchObject({ status: 'error', attempts: 3 })
    expect((await runsOf(server, reply.id)).map((run) => run.id)).toEqual(step.run_ids)
    expect(step.tokens).toBe((await runsOf(server, reply.id)).reduce((sum, run) => sum + run.total_tokens, 0))
  })
  it('does not retry permanent errors', async () => {
    const steps = [model('m', { provider: 'openai', model: 'gpt-4o', retry: { max: 3, backoff_ms: 1 } })]
    const reply = await runWorkflow(server, await makeWorkflow(server, steps), { input: 'x' })
    expect(stepOf(reply, 'm')).toMatchObject({
      attempts: 1,
      error: expect.stringMatching(/^not_configured: /),
    })
  })
  it('ends a step at its time limit, and logs it', async () => {
    const steps = [model('m', { params: slow, timeout_ms: 120, template: 'x' })]
    const reply = await runWorkflow(server, await makeWorkflow(server, steps))
    expect(reply.run.error).toBe('timeout: No answer within 120 ms')
    expect(await runsOf(server, reply.id)).toMatchObject([
      { status: 'error', error: 'timeout: No answer within 120 ms' },
    ])
  })
  it('ends a container step at its time limit, with its steps', async () => {
    const steps = [
      {
        name: 'p',
        type: 'parallel',
        timeout_ms: 150,
        steps: [model('m', { params: slow, template: 'x' }), render('quick')],
      },
    ]
    const reply = await runWorkflow(server, await makeWorkflow(server, steps))
    expect(traceOf(reply)).toEqual(['p:error', 'm:cancelled', 'quick:ok'])
    expect(stepOf(reply, 'p').error).toBe('timeout: Not ended within 150 ms')
  })
  it('lets parallel steps complete when one fails, and reuses them', async () => {
    const broken = await brokenAgent(server, 'sibling')
    const steps = [
      {
        name: 'p',
        type: 'parallel',
        steps: [
          agent('a', 'sibling'),
          model('m', { params: { mock: { first_token_ms: 80 } }, template: 'x' }),
        ],
      },
    ]
    const failed = await runWorkflow(server, await makeWorkflow(server, steps))
    expect(traceOf(failed)).toEqual(['p:error', 'a:error', 'm:ok'])
    expect(failed.run).toMatchObject({ failed_step: 'a' })
    await broken.repair()
    const resumed = await server.call(`POST /api/workflow-runs/${failed.id}/resume`)
    expect(resumed.body.steps.map((step: Data) => [step.name, step.status, step.taken_over])).toEqual([
      ['p', 'ok', false],
      ['a', 'ok', false],
      ['m', 'ok', true],
    ])
    expect(Object.keys(JSON.parse(resumed.body.output))).toEqual(['a', 'm'])
  })
})

describe('capture', () => {
  const secret = 'Persephone'
  const steps = [render('r', 'Hi {{who}}'), model('m')]
  it.each([
    ['off', undefined, null, null],
    ['redacted', undefined, 'Hi {{who}}', '{{who}}'],
    ['full', undefined, `Hi ${secret}`, secret],
    ['full', 'off', null, null],
  ])('with the setting %s and the request %s', async (setting, requested, output, variable) => {
    await server.call('PATCH /api/settings', { body: { capture: setting } })
    const id = await makeWorkflow(server, steps)
    const body = { variables: { who: secret }, ...(requested !== undefined && { capture: requested }) }
    const reply = await runWorkflow(server, id, body)
    expect(stepOf(reply, 'r').output).toBe(`Hi ${secret}`)
    const record = await execution(server, reply.id)
    expect(record.capture).toBe(requested ?? setting)
    expect(stepOf(record, 'r').output).toBe(output)
    expect(record.variables).toEqual(variable === null ? null : { who: variable })
    expect(JSON.stringify(record).includes(secret)).toBe(output?.includes(secret) ?? false)
    await server.call('PATCH /api/settings', { body: { capture: 'off' } })
  })
})

describe('retention', () => {
  it('removes executions with their runs, and not before', async () => {
    const time = movableClock()
    const target = await startTestServer({ substitutes: { clock: time.clock } })
    try {
      const id = await makeWorkflow(target, hello)
      const { id: runId } = await runWorkflow(target, id, { variables: { who: 'x' } })
      time.pass(89 * 86_400_000)
      await target.restart()
      expect((await execution(target, runId)).status).toBe('ok')
      time.pass(2 * 86_400_000)
      await target.restart()
      const read = () => target.call(`GET /api/workflow-runs/${runId}`)
      await eventually(read, ({ status }) => status === 404)
      expect((await target.call(`GET /api/workflows/${id}`)).status).toBe(200)
    } finally {
      await target.close()
    }
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
