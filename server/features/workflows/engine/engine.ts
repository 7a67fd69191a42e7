import type { ToolCall } from '../../../../contract/models.ts'
import type { StepResult } from '../../../../contract/workflow-run.ts'
import type { ConditionStep, ParallelStep, WorkflowStep } from '../../../../contract/workflow-step.ts'
import type { CallDone } from '../../../calls/call.ts'
import { attempt, limited } from './attempts.ts'
import { StepError, textOf } from './errors.ts'
import type { Extracted } from './json-path.ts'
import { blank, callsOf, type Placed, placesOf } from './result.ts'
import { fill, isTrue, type Values, valuesFor } from './values.ts'

export type CallingStep = Extract<WorkflowStep, { type: 'model' | 'agent' }>
type StreamEvent =
  | { readonly type: 'delta'; readonly text: string }
  | { readonly type: 'tool_call'; readonly call: ToolCall }

export type EngineWorld = {
  /** Makes one model call for a step. Throws `CallFailed`, a 4xx `Problem` or a `StepError`. */
  call(
    step: CallingStep,
    values: Values,
    signal: AbortSignal,
    onEvent: (event: StreamEvent) => void,
  ): Promise<CallDone>
  /** Evaluates a JSONPath within limits of time and memory. Rejects only when the signal aborts. */
  extract(text: string, path: string, signal: AbortSignal): Promise<Extracted>
  now(): Date
  /** Called before each attempt of a step. */
  started(place: Placed, attempt: number): void
  /** Called with each delta and tool call of a step. */
  heard(step: string, event: StreamEvent): void
  /** Called once for each step when it ends; stores the result. If it throws, the execution ends. */
  ended(place: Placed, result: StepResult): Promise<void>
}

export type Given = {
  readonly steps: readonly WorkflowStep[]
  readonly variables: Values
  readonly input: string
  /** Results of an earlier execution by step. Successful steps are not run again. */
  readonly earlier: ReadonlyMap<string, StepResult>
  readonly signal: AbortSignal
}
export type Finished = {
  readonly status: 'ok' | 'error' | 'cancelled'
  readonly output: string | null
  readonly error: string | null
  readonly failedStep: string | null
}

type Flow = { readonly goesOn: true; readonly output: string } | { readonly goesOn: false }
const stop: Flow = { goesOn: false }
const wentWell = (result: StepResult): boolean => result.status === 'ok' || result.status === 'skipped'

/** Runs steps in sequence, and those of `parallel` concurrently. Has no access to stores or connections. */
export async function runSteps(given: Given, world: EngineWorld): Promise<Finished> {
  const places = new Map(placesOf(given.steps).map((place) => [place.step.name, place]))
  const outputs = new Map<string, string>()
  let failed: { readonly step: string; readonly error: string } | null = null

  const placeOf = (step: WorkflowStep): Placed => {
    const place = places.get(step.name)
    if (place === undefined) throw new Error(`The step ${step.name} has no place`)
    return place
  }
  const valuesAt = (input: string): Values => valuesFor(given.variables, input, outputs)

  /** Ends a step: records its output and reports its result. */
  async function end(step: WorkflowStep, result: StepResult): Promise<void> {
    if (result.status === 'error') failed ??= { step: step.name, error: result.error ?? 'error' }
    outputs.set(step.name, result.output ?? '')
    await world.ended(placeOf(step), result)
  }

  async function skipAll(steps: readonly WorkflowStep[]): Promise<void> {
    for (const { step } of placesOf(steps)) await end(step, blank(placeOf(step), 'skipped'))
  }

  async function takeOver(step: WorkflowStep, result: StepResult): Promise<Flow> {
    for (const { step: each } of placesOf([step])) {
      const known = given.earlier.get(each.name)
      if (known !== undefined) await end(each, { ...known, taken_over: true })
    }
    return { goesOn: true, output: result.output ?? '' }
  }

  async function sequence(steps: readonly WorkflowStep[], input: string, signal: AbortSignal): Promise<Flow> {
    let output = input
    for (const step of steps) {
      if (signal.aborted) return stop
      const flow = await one(step, output, signal)
      if (!flow.goesOn) return stop
      output = flow.output
    }
    return { goesOn: true, output }
  }

  async function one(step: WorkflowStep, input: string, signal: AbortSignal): Promise<Flow> {
    const known = given.earlier.get(step.name)
    if (known !== undefined && wentWell(known)) return takeOver(step, known)
    const place = placeOf(step)
    const begun = performance.now()
    const startedAt = world.now().toISOString()
    const timed = () => ({
      started_at: startedAt,
      latency_ms: Math.round((performance.now() - begun) * 1000) / 1000,
    })
    const close = async (part: Partial<StepResult>): Promise<Flow> => {
      const result = { ...blank(place, 'ok'), input, ...timed(), ...part }
      await end(step, result)
      return wentWell(result) ? { goesOn: true, output: result.output ?? '' } : stop
    }
    try {
      if (step.type !== 'condition' && step.when !== undefined && !isTrue(step.when, valuesAt(input))) {
        for (const { step: nested } of placesOf([step]).slice(1))
          await end(nested, blank(placeOf(nested), 'skipped'))
        return await close({ status: 'skipped', output: input })
      }
      world.started(place, 1)
      if (step.type === 'condition' || step.type === 'parallel')
        return await close(await nested(step, input, signal))
      if (step.type === 'model' || step.type === 'agent')
        return await close(await calling(step, input, signal))
      return await close({ output: await plain(step, valuesAt(input), signal) })
    } catch (error) {
      if (signal.aborted && error === signal.reason) return close({ status: 'cancelled' })
      if (!(error instanceof StepError)) throw error
      return close({ status: 'error', error: textOf(error) })
    }
  }

  async function plain(
    step: Extract<WorkflowStep, { type: 'render' | 'transform' }>,
    values: Values,
    signal: AbortSignal,
  ): Promise<string> {
    const text = fill(step.template, values)
    if (step.type === 'render') return text
    if (step.op === 'upper') return text.toUpperCase()
    if (step.op === 'lower') return text.toLowerCase()
    if (step.op === 'trim') return text.trim()
    const extracted = await world.extract(text, step.path ?? '', signal)
    if ('error' in extracted) throw new StepError('json_path', extracted.error)
    return extracted.found
  }

  async function calling(
    step: CallingStep,
    input: string,
    signal: AbortSignal,
  ): Promise<Partial<StepResult>> {
    const values = valuesAt(input)
    const tried = await attempt(step, signal, (limited, number) => {
      if (number > 1) world.started(placeOf(step), number)
      return world.call(step, values, limited, (event) => world.heard(step.name, event))
    })
    const toolCalls = 'done' in tried ? tried.done.result.tool_calls : []
    const figures = { ...callsOf(tried.runs, tried.attempts, toolCalls), input: tried.sent ?? input }
    if ('done' in tried) return { ...figures, output: tried.done.result.output }
    if (signal.aborted) return { ...figures, status: 'cancelled' }
    return { ...figures, status: 'error', error: textOf(tried.error) }
  }

  /** Runs a step that contains other steps, within its own time limit. */
  async function nested(
    step: ConditionStep | ParallelStep,
    input: string,
    signal: AbortSignal,
  ): Promise<Partial<StepResult>> {
    const limit = limited(signal, step.timeout_ms, 'Not ended')
    const { flow, branch } = await (step.type === 'parallel'
      ? atOnce(step, input, limit.signal).then((done) => ({ flow: done, branch: null }))
      : either(step, input, limit.signal)
    ).finally(limit.clear)
    if (flow.goesOn) return { branch, output: flow.output }
    if (signal.aborted) return { branch, status: 'cancelled' }
    if (limit.isOver())
      return { branch, status: 'error', error: `timeout: Not ended within ${step.timeout_ms} ms` }
    return { branch, status: 'error', error: `step: ${failed?.step ?? 'A step'} failed` }
  }

  async function either(step: ConditionStep, input: string, signal: AbortSignal) {
    const branch = isTrue(step.when, valuesAt(input)) ? ('then' as const) : ('else' as const)
    await skipAll(branch === 'then' ? step.else : step.then)
    return { branch, flow: await sequence(step[branch], input, signal) }
  }

  /**
   * Runs steps concurrently. When one fails, the others continue: their calls are paid for, and a resumed
   * execution reuses their results.
   */
  async function atOnce(step: ParallelStep, input: string, signal: AbortSignal): Promise<Flow> {
    const flows = await Promise.all(
      step.steps.map((each) => one(each, input, signal).catch((error: unknown) => ({ thrown: error }))),
    )
    for (const flow of flows) if ('thrown' in flow) throw flow.thrown
    const entries = step.steps.map(({ name }, index) => [name, flows[index]] as const)
    const pairs = entries.flatMap(([name, flow]) =>
      flow !== undefined && 'output' in flow ? [[name, flow.output] as const] : [],
    )
    if (pairs.length < entries.length) return stop
    // Built as text: an object would move names that are integers to the front.
    const output = `{${pairs.map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`).join(',')}}`
    return { goesOn: true, output }
  }

  const flow = await sequence(given.steps, given.input, given.signal)
  const failure = failed as { readonly step: string; readonly error: string } | null
  if (flow.goesOn) return { status: 'ok', output: flow.output, error: null, failedStep: null }
  if (given.signal.aborted && failure === null)
    return { status: 'cancelled', output: null, error: null, failedStep: null }
  return { status: 'error', output: null, error: failure?.error ?? null, failedStep: failure?.step ?? null }
}
