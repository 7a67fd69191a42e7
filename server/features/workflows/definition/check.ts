import { referencesIn } from '../../../../contract/formats/workflow-template.ts'
import { offlineProvider } from '../../../../contract/models/models.ts'
import type { WorkflowFinding } from '../../../../contract/workflows/workflow.ts'
import {
  maxNesting,
  maxSteps,
  nestedIn,
  unaryOps,
  type When,
  type WorkflowStep,
} from '../../../../contract/workflows/workflow-step.ts'
import { pathError } from '../engine/json-path.ts'

export type AgentUse = { readonly path: string; readonly step: string; readonly key: string }
export type ProviderUse = { readonly path: string; readonly step: string; readonly name: string }
/** Returns true if there is a provider of this name. */
export type HasProvider = (name: string) => boolean
export type Checked = {
  readonly findings: readonly WorkflowFinding[]
  readonly variables: readonly string[]
  readonly agents: readonly AgentUse[]
  readonly providers: readonly ProviderUse[]
  readonly count: number
}

type StepOf<T extends WorkflowStep['type']> = Extract<WorkflowStep, { type: T }>

/** The position of a step: the outputs that it may use, and why it may not use others. */
type Scope = {
  /** Earlier steps, whose output can be used. */
  readonly before: ReadonlySet<string>
  /** The steps that contain this one. */
  readonly ancestors: readonly string[]
  /** Steps of other branches, with the reason why their output cannot be used. */
  readonly unavailable: ReadonlyMap<string, string>
}

/** Returns a step's name as templates compare it: `-` and `_` are equal, see engine/values.ts. */
const comparableName = (name: string): string => name.replaceAll('-', '_')

const namesIn = (steps: readonly WorkflowStep[]): string[] =>
  steps.flatMap((step) => [step.name, ...nestedIn(step).flatMap(([, nested]) => namesIn(nested))])

/** The state of a check. */
type Check = {
  readonly findings: WorkflowFinding[]
  readonly variables: Set<string>
  readonly agents: AgentUse[]
  readonly providers: ProviderUse[]
  readonly allNames: ReadonlySet<string>
  /** The names of the checked steps, by the name that templates compare. */
  readonly seen: Map<string, string>
  count: number
}

/** Returns all findings for steps of a valid shape, with the variables and agents that they use. */
export function checkSteps(steps: readonly WorkflowStep[]): Checked {
  const check: Check = {
    findings: [],
    variables: new Set(),
    agents: [],
    providers: [],
    allNames: new Set(namesIn(steps)),
    seen: new Map(),
    count: 0,
  }
  checkList(check, 'steps', steps, { before: new Set(), ancestors: [], unavailable: new Map() }, 0)
  const { findings, variables, agents, providers, count } = check
  if (count > maxSteps)
    findings.push({
      severity: 'error',
      path: 'steps',
      step: null,
      message: `${count} steps: a workflow can have at most ${maxSteps}`,
    })
  return { findings, variables: [...variables], agents, providers, count }
}

/** Returns an error for each use of a provider that does not exist. */
export const missingProviders = (
  { providers }: Pick<Checked, 'providers'>,
  hasProvider: HasProvider,
): WorkflowFinding[] =>
  providers
    .filter(({ name }) => !hasProvider(name))
    .map(({ path, step, name }) => ({ severity: 'error', path, step, message: `Provider ${name} not found` }))

const addError = ({ findings }: Check, path: string, step: WorkflowStep, message: string) =>
  findings.push({ severity: 'error', path, step: step.name, message })

function checkList(
  check: Check,
  path: string,
  list: readonly WorkflowStep[],
  scope: Scope,
  depth: number,
): void {
  const before = new Set(scope.before)
  list.forEach((step, index) => {
    checkStep(check, `${path}.${index}`, step, { ...scope, before }, depth)
    for (const name of namesIn([step])) before.add(name)
  })
}

function checkStep(check: Check, path: string, step: WorkflowStep, scope: Scope, depth: number): void {
  check.count += 1
  checkName(check, path, step)
  if (depth > maxNesting) addError(check, path, step, `Nested deeper than ${maxNesting}`)
  if (step.when !== undefined) checkWhen(check, `${path}.when`, step.when, step, scope)
  if ('template' in step) checkTemplate(check, `${path}.template`, step.template, step, scope)
  if (step.type === 'transform') checkTransform(check, path, step)
  if (step.type === 'model') checkModel(check, path, step)
  if (step.type === 'agent') {
    check.agents.push({ path: `${path}.agent_key`, step: step.name, key: step.agent_key })
    for (const [name, template] of Object.entries(step.variables))
      checkTemplate(check, `${path}.variables.${name}`, template, step, scope)
  }
  if (step.type === 'condition') checkCondition(check, path, step, scope, depth)
  if (step.type === 'parallel') checkParallel(check, path, step, scope, depth)
}

function checkName(check: Check, path: string, step: WorkflowStep): void {
  const first = check.seen.get(comparableName(step.name))
  if (first === undefined) {
    check.seen.set(comparableName(step.name), step.name)
    return
  }
  const message =
    first === step.name
      ? 'Another step has this name'
      : `Too similar to the step ${first}: templates treat - and _ as equal`
  addError(check, `${path}.name`, step, message)
}

function checkTransform(check: Check, path: string, step: StepOf<'transform'>): void {
  const message =
    step.op === 'json_path'
      ? pathError(step.path)
      : step.path === undefined
        ? null
        : 'Only json_path has a path'
  if (message !== null) addError(check, `${path}.path`, step, message)
}

function checkModel(check: Check, path: string, step: StepOf<'model'>): void {
  check.providers.push({ path: `${path}.provider`, step: step.name, name: step.provider })
  if (step.params.mock !== undefined && step.provider !== offlineProvider)
    addError(check, `${path}.params.mock`, step, 'Only the provider mock supports this parameter')
  if (step.params.tool_choice === 'required' && step.tools.length === 0)
    addError(check, `${path}.params.tool_choice`, step, 'Requires at least one tool')
}

function checkCondition(
  check: Check,
  path: string,
  step: StepOf<'condition'>,
  scope: Scope,
  depth: number,
): void {
  if (step.then.length + step.else.length === 0)
    addError(check, `${path}.then`, step, 'Requires at least one step')
  const branchScope = (other: readonly WorkflowStep[]) =>
    nestedScope(scope, step, namesIn(other), 'is in the other branch')
  checkList(check, `${path}.then`, step.then, branchScope(step.else), depth + 1)
  checkList(check, `${path}.else`, step.else, branchScope(step.then), depth + 1)
}

function checkParallel(
  check: Check,
  path: string,
  step: StepOf<'parallel'>,
  scope: Scope,
  depth: number,
): void {
  if (step.steps.length === 0) addError(check, `${path}.steps`, step, 'Requires at least one step')
  step.steps.forEach((branch, index) => {
    const others = namesIn(step.steps.filter((other) => other !== branch))
    const branchScope = nestedScope(scope, step, others, 'runs at the same time')
    checkStep(check, `${path}.steps.${index}`, branch, branchScope, depth + 1)
  })
}

/** Returns the scope of steps inside `step`, which cannot use the outputs of `others`. */
function nestedScope(scope: Scope, step: WorkflowStep, others: readonly string[], reason: string): Scope {
  const unavailable = others.map((name) => [name, `${name} ${reason}`] as const)
  return {
    ...scope,
    ancestors: [...scope.ancestors, step.name],
    unavailable: new Map([...scope.unavailable, ...unavailable]),
  }
}

function checkWhen(check: Check, path: string, when: When, step: WorkflowStep, scope: Scope): void {
  if (typeof when === 'string') {
    checkTemplate(check, path, when, step, scope)
    return
  }
  checkTemplate(check, `${path}.value`, when.value, step, scope)
  if (when.to !== undefined) checkTemplate(check, `${path}.to`, when.to, step, scope)
  const isUnary = unaryOps.includes(when.op)
  if (isUnary && when.to !== undefined)
    addError(check, `${path}.to`, step, `${when.op} takes no second value`)
  if (!isUnary && when.to === undefined)
    addError(check, `${path}.to`, step, `${when.op} requires a second value`)
}

function checkTemplate(check: Check, path: string, template: string, step: WorkflowStep, scope: Scope): void {
  const used = referencesIn(template)
  for (const name of used.variables) check.variables.add(name)
  for (const name of used.unknown)
    addError(check, path, step, `{{${name}}} is not a reference; write {{input}} or {{steps.<name>.output}}`)
  for (const name of used.steps) {
    const reason = unavailableReason(check, name, step, scope)
    if (reason !== null) addError(check, path, step, reason)
  }
}

/** Returns the reason why a step cannot use the output of the step `name`; null if it can. */
function unavailableReason(
  { allNames }: Check,
  name: string,
  step: WorkflowStep,
  scope: Scope,
): string | null {
  if (scope.before.has(name)) return null
  if (name === step.name) return 'A step cannot use its own output'
  if (scope.ancestors.includes(name))
    return `The step is nested in ${name}, which has not ended at this point`
  const unavailable = scope.unavailable.get(name)
  if (unavailable !== undefined) return unavailable
  return allNames.has(name)
    ? `${name} comes later: a step can use only the outputs of earlier steps`
    : `Step ${name} not found`
}
