import { offlineProvider } from '../../../contract/models.ts'
import type { WorkflowFinding } from '../../../contract/workflow.ts'
import {
  loneOps,
  maxNesting,
  maxSteps,
  nestedIn,
  type When,
  type WorkflowStep,
} from '../../../contract/workflow-step.ts'
import { referencesIn } from '../../../contract/workflow-template.ts'
import { pathFinding } from './engine/json-path.ts'

export type AgentUse = { readonly path: string; readonly step: string; readonly key: string }
export type Checked = {
  readonly findings: readonly WorkflowFinding[]
  readonly variables: readonly string[]
  readonly agents: readonly AgentUse[]
  readonly count: number
}

/** The position of a step: the outputs that it may use, and why it may not use others. */
type Scope = {
  readonly before: ReadonlySet<string>
  readonly around: readonly string[]
  /** Steps of other branches, with the reason why their output cannot be used. */
  readonly apart: ReadonlyMap<string, string>
}

/** Returns a step's name as templates compare it: `-` and `_` are equal, see engine/values.ts. */
const sameName = (name: string): string => name.replaceAll('-', '_')

const namesIn = (steps: readonly WorkflowStep[]): string[] =>
  steps.flatMap((step) => [step.name, ...nestedIn(step).flatMap(([, nested]) => namesIn(nested))])

/** Returns all findings for steps of a valid shape, with the variables and agents that they use. */
export function checkSteps(steps: readonly WorkflowStep[]): Checked {
  const findings: WorkflowFinding[] = []
  const variables = new Set<string>()
  const agents: AgentUse[] = []
  const known = new Set(namesIn(steps))
  const seen = new Map<string, string>()
  let count = 0

  const wrong = (path: string, step: WorkflowStep, message: string) =>
    findings.push({ severity: 'error', path, step: step.name, message })

  function whyNot(name: string, step: WorkflowStep, scope: Scope): string | null {
    if (scope.before.has(name)) return null
    if (name === step.name) return 'A step cannot use its own output'
    if (scope.around.includes(name)) return `It stands in ${name}, which has not ended then`
    const apart = scope.apart.get(name)
    if (apart !== undefined) return apart
    return known.has(name)
      ? `${name} comes later: a step uses what stands before it, so there is no cycle`
      : `There is no step ${name}`
  }

  function checkTemplate(path: string, template: string, step: WorkflowStep, scope: Scope): void {
    const used = referencesIn(template)
    for (const name of used.variables) variables.add(name)
    for (const name of used.unknown)
      wrong(path, step, `{{${name}}} means nothing: write {{input}} or {{steps.<name>.output}}`)
    for (const name of used.steps) {
      const why = whyNot(name, step, scope)
      if (why !== null) wrong(path, step, why)
    }
  }

  function checkWhen(path: string, when: When, step: WorkflowStep, scope: Scope): void {
    if (typeof when === 'string') {
      checkTemplate(path, when, step, scope)
      return
    }
    checkTemplate(`${path}.value`, when.value, step, scope)
    if (when.to !== undefined) checkTemplate(`${path}.to`, when.to, step, scope)
    const isLone = loneOps.includes(when.op)
    if (isLone && when.to !== undefined) wrong(`${path}.to`, step, `${when.op} compares with nothing`)
    if (!isLone && when.to === undefined)
      wrong(`${path}.to`, step, `${when.op} needs something to compare with`)
  }

  function checkNested(path: string, step: WorkflowStep, scope: Scope, depth: number): void {
    const inside = { ...scope, around: [...scope.around, step.name] }
    if (step.type === 'condition') {
      if (step.then.length + step.else.length === 0) wrong(`${path}.then`, step, 'It needs a step to take')
      const other = (steps: readonly WorkflowStep[]) =>
        new Map([
          ...scope.apart,
          ...namesIn(steps).map((name) => [name, `${name} stands in the other branch`] as const),
        ])
      checkList(`${path}.then`, step.then, { ...inside, apart: other(step.else) }, depth + 1)
      checkList(`${path}.else`, step.else, { ...inside, apart: other(step.then) }, depth + 1)
    }
    if (step.type !== 'parallel') return
    if (step.steps.length === 0) wrong(`${path}.steps`, step, 'It needs steps to run')
    step.steps.forEach((one, index) => {
      const others = namesIn(step.steps.filter((each) => each !== one))
      const apart = new Map([
        ...scope.apart,
        ...others.map((name) => [name, `${name} runs at the same time`] as const),
      ])
      checkStep(`${path}.steps.${index}`, one, { ...inside, apart }, depth + 1)
    })
  }

  function checkStep(path: string, step: WorkflowStep, scope: Scope, depth: number): void {
    count += 1
    const first = seen.get(sameName(step.name))
    if (first === undefined) seen.set(sameName(step.name), step.name)
    else
      wrong(
        `${path}.name`,
        step,
        first === step.name ? 'Another step has this name' : `Too much like the step ${first}`,
      )
    if (depth > maxNesting) wrong(path, step, `Nested deeper than ${maxNesting}`)
    if (step.when !== undefined) checkWhen(`${path}.when`, step.when, step, scope)
    if ('template' in step) checkTemplate(`${path}.template`, step.template, step, scope)
    if (step.type === 'transform') {
      const isPath = step.op === 'json_path'
      const why = isPath
        ? pathFinding(step.path)
        : step.path === undefined
          ? null
          : 'Only json_path has a path'
      if (why !== null) wrong(`${path}.path`, step, why)
    }
    if (step.type === 'model') {
      if (step.params.mock !== undefined && step.provider !== offlineProvider)
        wrong(`${path}.params.mock`, step, 'Only the provider mock supports this parameter')
      if (step.params.tool_choice === 'required' && step.tools.length === 0)
        wrong(`${path}.params.tool_choice`, step, 'There are no tools to choose from')
    }
    if (step.type === 'agent') {
      agents.push({ path: `${path}.agent_key`, step: step.name, key: step.agent_key })
      for (const [name, template] of Object.entries(step.variables))
        checkTemplate(`${path}.variables.${name}`, template, step, scope)
    }
    checkNested(path, step, scope, depth)
  }

  function checkList(path: string, list: readonly WorkflowStep[], scope: Scope, depth: number): void {
    const before = new Set(scope.before)
    list.forEach((step, index) => {
      checkStep(`${path}.${index}`, step, { ...scope, before }, depth)
      for (const name of namesIn([step])) before.add(name)
    })
  }

  checkList('steps', steps, { before: new Set(), around: [], apart: new Map() }, 0)
  if (count > maxSteps)
    findings.push({
      severity: 'error',
      path: 'steps',
      step: null,
      message: `${count} steps: a workflow can have at most ${maxSteps}`,
    })
  return { findings, variables: [...variables], agents, count }
}
