import { z } from 'zod'
import { keepsProto } from '../common/fields.ts'
import { variableName } from '../formats/template.ts'
import {
  ChatMessages,
  JsonSchema,
  ModelName,
  ModelParams,
  offlineProvider,
  ProviderName,
  ToolDeclarations,
} from '../models/models.ts'
import { Content } from '../prompts/prompt.ts'
import { PromptKey } from '../resources/key.ts'

/** Maximum number of steps in a workflow, nested ones included. */
export const maxSteps = 100
/** Maximum nesting depth of `condition` and `parallel`. */
export const maxNesting = 5

export const stepTypes = ['render', 'model', 'transform', 'agent', 'condition', 'parallel'] as const
export type StepType = (typeof stepTypes)[number]
export const transformOps = ['upper', 'lower', 'trim', 'json_path'] as const
export const comparisonOps = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'greater',
  'less',
  'is_empty',
  'not_empty',
] as const
/** Operators without a second operand. */
export const unaryOps: readonly string[] = ['is_empty', 'not_empty']

const StepName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'Letters, digits, `_` and `-`, 64 at most')
  .meta({ description: 'Unique in the workflow, including nested steps' })

/** A text with `{{input}}`, `{{steps.<name>.output}}` of an earlier step, and variables of the run. */
const Template = Content

/**
 * A text, which is true unless it is empty, `false`, `0` or `no`; or a comparison. `greater` and `less`
 * compare numbers.
 */
export const When = z.union([
  Template,
  z.strictObject({ value: Template, op: z.enum(comparisonOps), to: Template.optional() }),
])
export type When = z.infer<typeof When>

const common = {
  name: StepName,
  when: When.optional().meta({
    description: 'If false, the step is `skipped` and its output is its input',
  }),
}
/** Milliseconds; for each attempt if the step can be retried. */
const timeout = { timeout_ms: z.int().min(100).max(600_000).optional() }
const retry = {
  retry: z
    .strictObject({
      max: z.int().min(0).max(5).meta({ description: 'Number of retries' }),
      backoff_ms: z.int().min(0).max(60_000).default(1000).meta({
        description: 'Delay before the first retry; doubles for each further retry, up to 60 s',
      }),
    })
    .optional()
    .meta({ description: 'Each attempt is a separate run. Errors that cannot succeed are not retried' }),
}

const RenderStep = z.strictObject({ ...common, type: z.literal('render'), template: Template })
const ModelStep = z.strictObject({
  ...common,
  type: z.literal('model'),
  template: Template.default('{{input}}'),
  provider: ProviderName.default(offlineProvider),
  model: ModelName.nullable().default(null),
  params: ModelParams.default({}),
  messages: ChatMessages.default([]),
  tools: ToolDeclarations.default([]),
  response_schema: JsonSchema.nullable().default(null),
  ...timeout,
  ...retry,
})
const TransformStep = z.strictObject({
  ...common,
  type: z.literal('transform'),
  op: z.enum(transformOps),
  template: Template.default('{{input}}').meta({ description: 'The text to transform' }),
  path: z.string().min(1).max(1000).optional().meta({
    description:
      'For `json_path`: an RFC 9535 path such as `$.items[0].name`. One match returns its value, several return a JSON array',
  }),
})
const AgentStep = z.strictObject({
  ...common,
  type: z.literal('agent'),
  agent_key: PromptKey.meta({ description: 'Key of an agent in the same workspace' }),
  variables: keepsProto(z.record(z.string().regex(variableName).max(128), Template))
    .default({})
    .meta({
      description: 'Variables of the agent, as templates; `input` is added unless it is set here',
    }),
  ...timeout,
  ...retry,
})
const conditionFields = { ...common, type: z.literal('condition'), when: When, ...timeout }
const parallelFields = { ...common, type: z.literal('parallel'), ...timeout }
const ConditionHead = z.strictObject(conditionFields)
const ParallelHead = z.strictObject(parallelFields)

/** The schemas of steps that contain no other steps. */
type LeafStepSchema = typeof RenderStep | typeof ModelStep | typeof TransformStep | typeof AgentStep
/**
 * Runs `then` if the condition is true, else `else`. Its output is that of the last step run, or its input.
 */
export type ConditionStep = z.output<typeof ConditionHead> & { then: WorkflowStep[]; else: WorkflowStep[] }
/**
 * Runs its steps concurrently, each with its input. Its output is a JSON object of their outputs by name, in
 * order.
 */
export type ParallelStep = z.output<typeof ParallelHead> & { steps: WorkflowStep[] }
export type WorkflowStep = z.output<LeafStepSchema> | ConditionStep | ParallelStep
export type StepInput =
  | z.input<LeafStepSchema>
  | (z.input<typeof ConditionHead> & { then?: StepInput[] | undefined; else?: StepInput[] | undefined })
  | (z.input<typeof ParallelHead> & { steps: StepInput[] })

const NestedSteps: z.ZodType<WorkflowStep[], StepInput[]> = z.lazy(() => z.array(WorkflowStep).max(maxSteps))
export const WorkflowStep: z.ZodType<WorkflowStep, StepInput> = z
  .discriminatedUnion('type', [
    RenderStep,
    ModelStep,
    TransformStep,
    AgentStep,
    z.strictObject({
      ...conditionFields,
      // biome-ignore lint/suspicious/noThenProperty: a field name of the API; nothing awaits a schema
      then: NestedSteps.default([]),
      else: NestedSteps.default([]),
    }),
    z.strictObject({ ...parallelFields, steps: NestedSteps }),
  ])
  .meta({ id: 'WorkflowStep' })
export const WorkflowSteps = z.array(WorkflowStep).min(1).max(maxSteps)

/** Returns the lists of steps inside a step, with the names of their fields. */
export function nestedIn(
  step: WorkflowStep,
): readonly (readonly ['then' | 'else' | 'steps', readonly WorkflowStep[]])[] {
  if (step.type === 'condition')
    return [
      ['then', step.then],
      ['else', step.else],
    ]
  return step.type === 'parallel' ? [['steps', step.steps]] : []
}
