import { describe, expect, it } from 'vitest'
import { watch } from '../../support/scenario.ts'
import { hello, server, setUpService } from './runs-support.ts'
import {
  agent,
  type Data,
  make,
  makeWorkflow,
  render,
  runsOf,
  runWorkflow,
  stepOf,
} from './workflow-support.ts'

setUpService()

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
        // biome-ignore lint/suspicious/noThenProperty: a field name of the API; nothing awaits a step
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

  it('limits the size of the texts of all steps together', async () => {
    const copies = Array.from({ length: 20 }, (_, n) => render(`c${n}`, '{{input}}'))
    const steps = [render('large', '{{input}}'.repeat(4)), ...copies]
    const reply = await runWorkflow(server, await makeWorkflow(server, steps), { input: 'x'.repeat(262_144) })
    expect(reply.run).toMatchObject({
      status: 'error',
      failed_step: 'c7',
      error: 'too_large: The texts of all steps would be larger than 16 MiB',
    })
    expect(stepOf(reply, 'c7')).toMatchObject({ input: null, output: null })
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
