import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Run } from '../../../contract/runs/run.ts'
import type { StepResult } from '../../../contract/workflows/workflow-run.ts'
import type { WorkflowStep } from '../../../contract/workflows/workflow-step.ts'
import { WorkflowSteps } from '../../../contract/workflows/workflow-step.ts'
import { checkSteps } from '../../../server/features/workflows/definition/check.ts'
import { type Finished, runSteps } from '../../../server/features/workflows/engine/engine.ts'
import { extract, pathFinding } from '../../../server/features/workflows/engine/json-path.ts'
import { placesOf } from '../../../server/features/workflows/engine/result.ts'
import type { EngineDeps } from '../../../server/features/workflows/engine/state.ts'
import { stepsUnderWay } from '../../../server/features/workflows/executions/interrupted.ts'

/** Shape of a tree of steps without names. */
type Shape =
  | { readonly kind: 'say'; readonly text: string; readonly when: string | null }
  | { readonly kind: 'ask'; readonly text: string; readonly delayMs: number }
  | { readonly kind: 'either'; readonly when: string; readonly then: Shape[]; readonly else: Shape[] }
  | { readonly kind: 'both'; readonly all: Shape[] }

const condition = fc.constantFrom('', 'yes', 'no', '{{input}}', '0')
const { shapes } = fc.letrec<{ shape: Shape; shapes: Shape[] }>((tie) => ({
  shapes: fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      kind: fc.constant('say' as const),
      text: fc.constantFrom('a', '{{input}}b', ''),
      when: fc.option(condition),
    }),
    fc.record({
      kind: fc.constant('ask' as const),
      text: fc.constantFrom('q', '{{input}}?'),
      delayMs: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({
      kind: fc.constant('either' as const),
      when: condition,
      // biome-ignore lint/suspicious/noThenProperty: a name of the wire
      then: tie('shapes'),
      else: tie('shapes'),
    }),
    fc.record({ kind: fc.constant('both' as const), all: tie('shapes') }),
  ),
}))

/** Names each step by its position, and returns the delay of its call. */
function named(list: readonly Shape[]) {
  const delays = new Map<string, number>()
  let count = 0
  const one = (shape: Shape): WorkflowStep => {
    const name = `s${count++}`
    if (shape.kind === 'say')
      return { name, type: 'render', template: shape.text, ...(shape.when !== null && { when: shape.when }) }
    if (shape.kind === 'both') return { name, type: 'parallel', steps: shape.all.map(one) }
    if (shape.kind === 'either')
      return {
        name,
        type: 'condition',
        when: shape.when,
        // biome-ignore lint/suspicious/noThenProperty: a name of the wire
        then: shape.then.map(one),
        else: shape.else.map(one),
      }
    delays.set(name, shape.delayMs)
    return {
      name,
      type: 'model',
      template: shape.text,
      provider: 'mock',
      model: null,
      params: {},
      messages: [],
      tools: [],
      response_schema: null,
    }
  }
  return { steps: list.map(one), delays }
}

/** Reference implementation. */
const isTrue = (when: string, input: string) =>
  !['', '0', 'no'].includes(when.replace('{{input}}', input).trim().toLowerCase())
function expected(steps: readonly WorkflowStep[], input: string): string {
  return steps.reduce((before, step) => {
    if (step.type === 'render')
      return step.when === undefined || isTrue(String(step.when), before)
        ? step.template.replace('{{input}}', before)
        : before
    if (step.type === 'model') return `<${step.template.replace('{{input}}', before)}>`
    if (step.type === 'condition')
      return expected(isTrue(String(step.when), before) ? step.then : step.else, before)
    if (step.type === 'parallel')
      return JSON.stringify(
        Object.fromEntries(step.steps.map((each) => [each.name, expected([each], before)])),
      )
    throw new Error(step.type)
  }, input)
}

type Ended = { readonly results: Map<string, StepResult>; readonly ended: string[] }
const run = {} as Run

async function execute(
  steps: readonly WorkflowStep[],
  options: {
    readonly delays?: ReadonlyMap<string, number>
    readonly failing?: ReadonlySet<string>
    readonly earlier?: ReadonlyMap<string, StepResult>
    readonly input?: string
  } = {},
): Promise<Finished & Ended & { readonly called: string[] }> {
  const results = new Map<string, StepResult>()
  const ended: string[] = []
  const called: string[] = []
  const deps: EngineDeps = {
    async call(step, values) {
      called.push(step.name)
      await sleep(options.delays?.get(step.name) ?? 0)
      if (options.failing?.has(step.name)) {
        const { StepError } = await import('../../../server/features/workflows/engine/errors.ts')
        throw new StepError('provider_error', 'It is down')
      }
      const rendered =
        step.type === 'model' ? step.template.replace('{{input}}', String(values['input'])) : ''
      const result = {
        provider: 'mock',
        model: 'm',
        output: `<${rendered}>`,
        tool_calls: [],
        finish_reason: 'stop',
      }
      return { rendered, result, run }
    },
    extract: async (text, path) => extract(text, path),
    now: () => new Date(),
    onStarted: () => undefined,
    onEvent: () => undefined,
    async onEnded({ step }, result) {
      ended.push(step.name)
      results.set(step.name, result)
    },
  }
  const { earlier = new Map(), input = 'in' } = options
  const finished = await runSteps(
    { steps, variables: {}, input, earlier, signal: new AbortController().signal },
    deps,
  )
  return { ...finished, results, ended, called }
}

describe('any tree of steps', () => {
  it('gives the expected result, each step ending once, for any delays', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.constantFrom('in', ''), async (list, input) => {
        const { steps, delays } = named(list)
        const done = await execute(steps, { delays, input })
        expect(done).toMatchObject({ status: 'ok', output: expected(steps, input) })
        expect(done.ended.toSorted()).toEqual(
          placesOf(steps)
            .map(({ step }) => step.name)
            .toSorted(),
        )
      }),
      { numRuns: 150 },
    )
  })

  it('is the same after a failure and a resume, and repeats no successful call', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.nat(), async (list, pick) => {
        const { steps, delays } = named(list)
        const first = await execute(steps, { delays })
        fc.pre(first.called.length > 0)
        const failing = first.called[pick % first.called.length] ?? ''
        const failed = await execute(steps, { delays, failing: new Set([failing]) })
        expect(failed).toMatchObject({ status: 'error', failedStep: failing })
        const resumed = await execute(steps, { delays, earlier: failed.results })
        expect(resumed).toMatchObject({ status: 'ok', output: first.output })
        const once = [...failed.called.filter((name) => name !== failing), ...resumed.called]
        expect(once.toSorted()).toEqual(first.called.toSorted())
      }),
      { numRuns: 100 },
    )
  })

  it('has unfinished steps wherever it is interrupted, and only those without a result', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.nat(), async (list, pick) => {
        const { steps, delays } = named(list)
        const { ended } = await execute(steps, { delays })
        const before = new Set(ended.slice(0, pick % ended.length))
        const underWay = stepsUnderWay(steps, before)
        expect(underWay.size).toBeGreaterThan(0)
        expect([...underWay].filter((name) => before.has(name))).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('is valid, and unchanged by the contract', () => {
    fc.assert(
      fc.property(shapes, (list) => {
        const { steps } = named(list)
        expect(checkSteps(steps).findings.filter(({ message }) => !message.startsWith('Nested'))).toEqual([])
        expect(WorkflowSteps.parse(JSON.parse(JSON.stringify(steps)))).toEqual(steps)
      }),
    )
  })
})

describe('json_path', () => {
  it('never throws, for any path and text', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((rest) => `$${rest}`),
        ),
        fc.json(),
        (path, text) => {
          if (pathFinding(path) !== null) return
          const extracted = extract(text, path)
          expect(Object.values(extracted).map((value) => typeof value)).toEqual(['string'])
        },
      ),
      { numRuns: 500 },
    )
  })
  it('evaluates a large document in bounded time', () => {
    const wide = JSON.stringify({ a: Array.from({ length: 20_000 }, (_, n) => ({ n, b: { c: [n, n] } })) })
    const begun = performance.now()
    expect(extract(wide, '$..[?@.c[?@ > 5]].c')).toHaveProperty('found')
    expect(performance.now() - begun).toBeLessThan(2000)
  })
})
