import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Run } from '../../../contract/runs/run.ts'
import type { StepResult } from '../../../contract/workflows/workflow-run.ts'
import type { WorkflowStep } from '../../../contract/workflows/workflow-step.ts'
import { WorkflowSteps } from '../../../contract/workflows/workflow-step.ts'
import { checkSteps } from '../../../server/features/workflows/definition/check.ts'
import { type Finished, runSteps } from '../../../server/features/workflows/engine/engine.ts'
import { extract, pathError } from '../../../server/features/workflows/engine/json-path.ts'
import { flattenSteps } from '../../../server/features/workflows/engine/result.ts'
import type { EngineDeps } from '../../../server/features/workflows/engine/state.ts'
import { activeSteps } from '../../../server/features/workflows/executions/interrupted.ts'

/** Shape of a tree of steps without names. */
type Shape =
  | { readonly kind: 'render'; readonly text: string; readonly when: string | null }
  | { readonly kind: 'model'; readonly text: string; readonly delayMs: number }
  | { readonly kind: 'condition'; readonly when: string; readonly then: Shape[]; readonly else: Shape[] }
  | { readonly kind: 'parallel'; readonly steps: Shape[] }

const condition = fc.constantFrom('', 'yes', 'no', '{{input}}', '0')
const { shapes } = fc.letrec<{ shape: Shape; shapes: Shape[] }>((tie) => ({
  shapes: fc.array(tie('shape'), { minLength: 1, maxLength: 3 }),
  shape: fc.oneof(
    { maxDepth: 3 },
    fc.record({
      kind: fc.constant('render' as const),
      text: fc.constantFrom('a', '{{input}}b', ''),
      when: fc.option(condition),
    }),
    fc.record({
      kind: fc.constant('model' as const),
      text: fc.constantFrom('q', '{{input}}?'),
      delayMs: fc.integer({ min: 0, max: 3 }),
    }),
    fc.record({
      kind: fc.constant('condition' as const),
      when: condition,
      // biome-ignore lint/suspicious/noThenProperty: a field name of the API; nothing awaits a step
      then: tie('shapes'),
      else: tie('shapes'),
    }),
    fc.record({ kind: fc.constant('parallel' as const), steps: tie('shapes') }),
  ),
}))

/** Returns the steps, named by their positions, and the delays of their calls. */
function nameSteps(list: readonly Shape[]) {
  const delays = new Map<string, number>()
  let count = 0
  const toStep = (shape: Shape): WorkflowStep => {
    const name = `s${count++}`
    if (shape.kind === 'render')
      return { name, type: 'render', template: shape.text, ...(shape.when !== null && { when: shape.when }) }
    if (shape.kind === 'parallel') return { name, type: 'parallel', steps: shape.steps.map(toStep) }
    if (shape.kind === 'condition')
      return {
        name,
        type: 'condition',
        when: shape.when,
        // biome-ignore lint/suspicious/noThenProperty: a field name of the API; nothing awaits a step
        then: shape.then.map(toStep),
        else: shape.else.map(toStep),
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
  return { steps: list.map(toStep), delays }
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
        Object.fromEntries(step.steps.map((nested) => [nested.name, expected([nested], before)])),
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
      return { rendered, messages: [], result, run }
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
        const { steps, delays } = nameSteps(list)
        const done = await execute(steps, { delays, input })
        expect(done).toMatchObject({ status: 'ok', output: expected(steps, input) })
        expect(done.ended.toSorted()).toEqual(
          flattenSteps(steps)
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
        const { steps, delays } = nameSteps(list)
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
        const { steps, delays } = nameSteps(list)
        const { ended } = await execute(steps, { delays })
        const before = new Set(ended.slice(0, pick % ended.length))
        const active = activeSteps(steps, before)
        expect(active.size).toBeGreaterThan(0)
        expect([...active].filter((name) => before.has(name))).toEqual([])
      }),
      { numRuns: 100 },
    )
  })

  it('is valid, and unchanged by the contract', () => {
    fc.assert(
      fc.property(shapes, (list) => {
        const { steps } = nameSteps(list)
        expect(checkSteps(steps).findings.filter(({ message }) => !message.startsWith('Nested'))).toEqual([])
        expect(WorkflowSteps.parse(JSON.parse(JSON.stringify(steps)))).toEqual(steps)
      }),
    )
  })
})

describe('json_path', () => {
  it('never throws, for any path and text', () => {
    const name = fc.constantFrom('a', 'b', '', 'constructor')
    const json = fc.object({ key: name, maxDepth: 3 }).map((value) => JSON.stringify(value))
    const selector = fc.oneof(
      fc.constantFrom('.*', '..a', '[0]', '[-1:]', '[?@.a]', "[?@.b == 'a']", '[?length(@)]', '..'),
      name.map((key) => `['${key}']`),
      fc.string(),
    )
    const path = fc.array(selector, { maxLength: 3 }).map((selectors) => `$${selectors.join('')}`)
    let found = 0
    fc.assert(
      fc.property(path, fc.oneof({ weight: 9, arbitrary: json }, fc.string()), (path, text) => {
        if (pathError(path) !== null) return
        const extracted = extract(text, path)
        expect(Object.values(extracted).map((value) => typeof value)).toEqual(['string'])
        if ('found' in extracted) found += 1
      }),
      { numRuns: 500 },
    )
    expect(found).toBeGreaterThan(100)
  })
  it('evaluates a large document', () => {
    const wide = JSON.stringify({ a: Array.from({ length: 20_000 }, (_, n) => ({ n, b: { c: [n, n] } })) })
    expect(extract(wide, '$..[?@.c[?@ > 5]].c')).toHaveProperty('found')
  })
})
