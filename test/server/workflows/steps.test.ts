import { describe, expect, it } from 'vitest'
import { model, server, setUpService, tokens, watcher } from './workflow-service.ts'
import { type Data, render } from './workflow-support.ts'

setUpService()

const parallel = (name: string, ...steps: object[]) => ({ name, type: 'parallel', steps })
const condition = (name: string, then: object[], otherwise: object[] = [], when: unknown = 'yes') => ({
  name,
  type: 'condition',
  when,
  then,
  else: otherwise,
})

/** Returns `path message` of all problems. */
const findings = async (steps: unknown): Promise<string[]> => {
  const reply = await server.call('POST /api/workflows/validate', {
    body: { steps },
    token: tokens['viewer'] ?? '',
  })
  return reply.body.data.findings.map((row: Data) => `${row.severity} ${row.path}: ${row.message}`)
}

describe('invalid steps', () => {
  const name65 = 'n'.repeat(65)
  it.each<[string, unknown[], string[]]>([
    ['nothing', [render('a'), render('b', '{{steps.a.output}} {{input}} {{who.name}}')], []],
    ['an unknown step', [render('a', '{{steps.b.output}}')], ['error steps.0.template: Step b not found']],
    [
      'itself',
      [render('a', '{{steps.a.output}}')],
      ['error steps.0.template: A step cannot use its own output'],
    ],
    [
      'a cycle',
      [render('a', '{{steps.b.output}}'), render('b', '{{steps.a.output}}')],
      ['error steps.0.template: b comes later: a step can use only the outputs of earlier steps'],
    ],
    [
      'two steps with the same name',
      [render('a'), render('a')],
      ['error steps.1.name: Another step has this name'],
    ],
    [
      'names that are too similar',
      [render('a-b'), render('a_b')],
      ['error steps.1.name: Too similar to the step a-b: templates treat - and _ as equal'],
    ],
    [
      'a name that a nested step has',
      [parallel('p', render('a')), render('a')],
      ['error steps.1.name: Another step has this name'],
    ],
    [
      'a parallel sibling',
      [parallel('p', render('a'), render('b', '{{steps.a.output}}'))],
      ['error steps.0.steps.1.template: a runs at the same time'],
    ],
    [
      'the other branch',
      [condition('c', [render('a')], [render('b', '{{steps.a.output}}')])],
      ['error steps.0.else.0.template: a is in the other branch'],
    ],
    [
      'a step that contains the template',
      [condition('c', [render('a', '{{steps.c.output}}')])],
      ['error steps.0.then.0.template: The step is nested in c, which has not ended at this point'],
    ],
    [
      'a step nested in one that has ended',
      [parallel('p', render('a')), render('b', '{{steps.a.output}}')],
      [],
    ],
    [
      'an invalid reference',
      [render('a', '{{steps.a}} {{input.name}}')],
      [
        'error steps.0.template: {{steps.a}} is not a reference; write {{input}} or {{steps.<name>.output}}',
        'error steps.0.template: {{input.name}} is not a reference; write {{input}} or {{steps.<name>.output}}',
      ],
    ],
    [
      'a condition with an unknown step',
      [render('a', 'x', { when: '{{steps.z.output}}' })],
      ['error steps.0.when: Step z not found'],
    ],
    [
      'comparisons',
      [
        render('a', 'x', { when: { value: 'x', op: 'equals' } }),
        render('b', 'x', { when: { value: 'x', op: 'is_empty', to: 'y' } }),
      ],
      [
        'error steps.0.when.to: equals requires a second value',
        'error steps.1.when.to: is_empty takes no second value',
      ],
    ],
    [
      'paths',
      [
        { name: 'a', type: 'transform', op: 'json_path' },
        { name: 'b', type: 'transform', op: 'upper', path: '$.a' },
        { name: 'c', type: 'transform', op: 'json_path', path: '$..a..b' },
        { name: 'd', type: 'transform', op: 'json_path', path: '$[?$.a]' },
      ],
      [
        'error steps.0.path: json_path needs a path, such as $.items[0].name',
        'error steps.1.path: Only json_path has a path',
        'error steps.2.path: At most one `..` is allowed',
        'error steps.3.path: `$` is allowed only at the beginning',
      ],
    ],
    [
      'a path with a pattern',
      [{ name: 'a', type: 'transform', op: 'json_path', path: "$[?match(@.a, '(a+)+$')]" }],
      [expect.stringContaining("no such function 'match'") as unknown as string],
    ],
    [
      'a mock behaviour of another provider',
      [model('a', { provider: 'openai', params: { mock: {} } })],
      ['error steps.0.params.mock: Only the provider mock supports this parameter'],
    ],
    ['an empty condition', [condition('c', [])], ['error steps.0.then: Requires at least one step']],
    [
      'an agent that does not exist yet',
      [{ name: 'a', type: 'agent', agent_key: 'nobody' }],
      [
        'warning steps.0.agent_key: Agent nobody not found in this workspace: runs are rejected until it is created',
      ],
    ],
    [
      'an existing agent',
      [{ name: 'a', type: 'agent', agent_key: 'helper', variables: { task: '{{t}}' } }],
      [],
    ],
    [
      'an unknown type',
      [{ name: 'a', type: 'loop' }],
      [expect.stringContaining('error steps.0.type') as unknown as string],
    ],
    ['an unknown member', [render('a', 'x', { colour: 'red' })], ['error steps.0.colour: Unknown parameter']],
    ['an invalid name', [render(name65)], ['error steps.0.name: Letters, digits, `_` and `-`, 64 at most']],
    [
      'too many attempts',
      [model('a', { retry: { max: 6 } })],
      [expect.stringContaining('error steps.0.retry.max') as unknown as string],
    ],
    [
      'steps nested too deep',
      [[1, 2, 3, 4, 5, 6].reduce<object>((inner, level) => parallel(`p${level}`, inner), render('a'))],
      ['error steps.0.steps.0.steps.0.steps.0.steps.0.steps.0.steps.0: Nested deeper than 5'],
    ],
    [
      'too many steps',
      [
        parallel('p', ...Array.from({ length: 60 }, (_, n) => render(`a${n}`))),
        parallel('q', ...Array.from({ length: 60 }, (_, n) => render(`b${n}`))),
      ],
      ['error steps: 122 steps: a workflow can have at most 100'],
    ],
  ])('%s', async (_name, steps, expected) => {
    expect(await findings(steps)).toEqual(expected)
    const isInvalid = expected.some((text) => typeof text !== 'string' || text.startsWith('error'))
    const reply = await server.call('POST /api/workflows', { body: { key: `w${Math.random()}`, steps } })
    expect(reply.status).toBe(isInvalid ? 422 : 201)
  })
  it('are reported even if nested deeper than the call stack allows', async () => {
    const raw = `{"key":"deep","steps":[${'{"name":"p","type":"parallel","steps":['.repeat(20_000)}${']}'.repeat(20_000)}]}`
    expect((await server.call('POST /api/workflows', { raw })).status).toBe(422)
    const checked = await server.call('POST /api/workflows/validate', {
      raw: raw.replace('"key":"deep",', ''),
    })
    expect(checked.body).toMatchObject({
      code: 'request.invalid',
      errors: [{ message: 'Nested deeper than 64 levels' }],
    })
  })
  it('lists the variables that a run needs, and stores nothing', async () => {
    const { result, audit } = await watcher.during(() =>
      server.call('POST /api/workflows/validate', {
        body: { steps: [render('a', '{{x}} {{y.z}} {{input}}')] },
      }),
    )
    expect(result.body.data).toEqual({ ok: true, findings: [], variables: ['x', 'y.z'], step_count: 1 })
    expect(audit).toEqual([])
  })
})
