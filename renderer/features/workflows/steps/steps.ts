import {
  type ChatMessage,
  type ModelParams,
  offlineProvider,
  type ToolDeclaration,
} from '../../../../contract/models/models.ts'
import type {
  StepType,
  transformOps,
  When,
  WorkflowStep,
} from '../../../../contract/workflows/workflow-step.ts'

export type Retry = { readonly max: number; readonly backoff_ms: number }
export type Branch = 'then' | 'else' | 'steps'

/**
 * A step as edited. Unlike in the API, it has a `uid` that survives renaming and moving, its variables are a
 * list (so that a name can be typed), and invalid JSON stays text. All fields of its type exist in a fixed
 * order, so that drafts can be compared as JSON.
 */
export type EditStep = {
  readonly uid: string
  readonly name: string
  readonly type: StepType
  readonly when?: When | undefined
  readonly template?: string
  readonly op?: (typeof transformOps)[number]
  readonly path?: string | undefined
  readonly provider?: string
  readonly model?: string | null
  readonly params?: ModelParams
  readonly messages?: readonly ChatMessage[]
  readonly tools?: readonly ToolDeclaration[]
  readonly response_schema?: unknown
  readonly agent_key?: string
  readonly variables?: readonly (readonly [name: string, template: string])[]
  readonly timeout_ms?: number | undefined
  readonly retry?: Retry | undefined
  readonly then?: readonly EditStep[]
  readonly else?: readonly EditStep[]
  readonly steps?: readonly EditStep[]
}

let lastUid = 0
/** Returns an id that is unique within this page. */
function newUid(): string {
  lastUid += 1
  return `s${lastUid}`
}

const retryOf = (retry: Retry | undefined): Retry | undefined =>
  retry && { max: retry.max, backoff_ms: retry.backoff_ms }

/** Converts a step of the API to its editable form, with a new uid. */
export function editStep(step: WorkflowStep): EditStep {
  const common = { uid: newUid(), name: step.name, type: step.type, when: step.when }
  switch (step.type) {
    case 'render':
      return { ...common, template: step.template }
    case 'model':
      return {
        ...common,
        template: step.template,
        provider: step.provider,
        model: step.model,
        params: step.params,
        messages: step.messages,
        tools: step.tools,
        response_schema: step.response_schema,
        timeout_ms: step.timeout_ms,
        retry: retryOf(step.retry),
      }
    case 'transform':
      return { ...common, op: step.op, template: step.template, path: step.path }
    case 'agent':
      return {
        ...common,
        agent_key: step.agent_key,
        variables: Object.entries(step.variables),
        timeout_ms: step.timeout_ms,
        retry: retryOf(step.retry),
      }
    case 'condition':
      return {
        ...common,
        timeout_ms: step.timeout_ms,
        // biome-ignore lint/suspicious/noThenProperty: a field name of the API
        then: step.then.map(editStep),
        else: step.else.map(editStep),
      }
    case 'parallel':
      return { ...common, timeout_ms: step.timeout_ms, steps: step.steps.map(editStep) }
  }
}

/**
 * Converts a step to the format of the API. Invalid fields are sent as they are; the service reports the
 * errors.
 */
function wireStep({ uid: _uid, ...step }: EditStep): Record<string, unknown> {
  const wire: Record<string, unknown> = { ...step }
  if (step.variables !== undefined) wire['variables'] = Object.fromEntries(step.variables)
  for (const branch of branchesOf(step)) wire[branch] = (step[branch] ?? []).map(wireStep)
  return wire
}

/** Converts edited steps to the format of the API. */
export const wireSteps = (steps: readonly EditStep[]): Record<string, unknown>[] => steps.map(wireStep)

/** Returns the names of the fields that contain nested steps. */
export const branchesOf = ({ type }: Pick<EditStep, 'type'>): readonly Branch[] =>
  type === 'condition' ? ['then', 'else'] : type === 'parallel' ? ['steps'] : []

/** Returns all steps including nested ones, each before its children. */
export const allSteps = (steps: readonly EditStep[]): EditStep[] =>
  steps.flatMap((step) => [step, ...branchesOf(step).flatMap((branch) => allSteps(step[branch] ?? []))])

const initialFields: Readonly<Record<StepType, Partial<EditStep>>> = {
  render: { template: '' },
  model: {
    template: '{{input}}',
    provider: offlineProvider,
    model: null,
    params: {},
    messages: [],
    tools: [],
    response_schema: null,
    timeout_ms: undefined,
    retry: undefined,
  },
  transform: { op: 'trim', template: '{{input}}', path: undefined },
  agent: { agent_key: '', variables: [], timeout_ms: undefined, retry: undefined },
  condition: {
    when: { value: '{{input}}', op: 'contains', to: '' },
    timeout_ms: undefined,
    // biome-ignore lint/suspicious/noThenProperty: a field name of the API
    then: [],
    else: [],
  },
  parallel: { timeout_ms: undefined, steps: [] },
}

/** Returns the name, with a numeric suffix if it is taken. */
function freeName(requested: string, taken: ReadonlySet<string>): string {
  const baseName = requested.replace(/-\d+$/, '')
  let name = requested
  for (let next = 2; taken.has(name); next += 1) name = `${baseName}-${next}`
  return name
}

const namesOf = (steps: readonly EditStep[]): Set<string> => new Set(allSteps(steps).map(({ name }) => name))

/** Returns a new step of that type with an unused name. */
export const newStep = (type: StepType, all: readonly EditStep[]): EditStep => ({
  uid: newUid(),
  name: freeName(type, namesOf(all)),
  type,
  when: undefined,
  ...initialFields[type],
})

/** Returns a copy of a step and its children, with unused names and new uids. */
export function copyStep(step: EditStep, all: readonly EditStep[]): EditStep {
  const taken = namesOf(all)
  const copy = (original: EditStep): EditStep => {
    const name = freeName(original.name, taken)
    taken.add(name)
    const inner = Object.fromEntries(
      branchesOf(original).map((branch) => [branch, (original[branch] ?? []).map(copy)]),
    )
    return { ...original, uid: newUid(), name, ...inner }
  }
  return copy(step)
}
