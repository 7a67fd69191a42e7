import { describe, expect, it } from 'vitest'
import { movableClock } from '../../support/scenario.ts'
import { startTestServer } from '../../support/service.ts'
import { server, setUpService } from '../file-service.ts'
import {
  agent,
  brokenAgent,
  type Data,
  eventually,
  execution,
  makeWorkflow,
  model,
  render,
  runsOf,
  runWorkflow,
  slow,
  stepOf,
  traceOf,
} from './workflow-support.ts'

setUpService()

const hello = [render('r', 'Hi {{who}}'), model('m'), { name: 'u', type: 'transform', op: 'upper' }]

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
    expect(reply.run.error).toBe('timeout: No response within 120 ms')
    expect(await runsOf(server, reply.id)).toMatchObject([
      { status: 'error', error: 'timeout: No response within 120 ms' },
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
    expect(stepOf(reply, 'p').error).toBe('timeout: The step did not end within 150 ms')
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
