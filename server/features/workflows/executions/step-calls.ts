import type { Environment } from '../../../../contract/common/environments.ts'
import { variablesIn } from '../../../../contract/formats/template.ts'
import type { CaptureMode } from '../../../../contract/models/models.ts'
import type { Variable } from '../../../../contract/prompts/prompt.ts'
import type { RunContext } from '../../../../contract/runs/run.ts'
import type { CallDone, CallRequest, Calls } from '../../../calls/request/call.ts'
import type { Context } from '../../../lib/context.ts'
import { StepError } from '../engine/errors.ts'
import type { CallingStep, EngineDeps } from '../engine/state.ts'
import { fill, plainTemplate, type Values } from '../engine/values.ts'

/** An agent with the data that a step needs to run it. */
export type ReadyAgent = {
  readonly template: CallRequest['template']
  readonly isJson: boolean
  readonly declared: readonly Variable[]
  readonly behaviour: Pick<CallRequest, 'provider' | 'model' | 'messages' | 'params' | 'tools'> & {
    readonly prompt_key: string | null
    readonly env: Environment
    readonly response_schema: CallRequest['responseSchema']
  }
}
export type FindAgent = (workspaceId: string, key: string) => Promise<ReadyAgent | null>

/** The fields that all calls of an execution share. */
export type CallOrigin = {
  readonly workspaceId: string
  readonly refKey: string
  readonly version: string
  readonly parentId: string
  readonly context: RunContext
  readonly capture: CaptureMode
}

/** Returns the values that a template uses, so that the log of a call contains no others. */
function usedValues(template: string, values: Values): Values {
  const used = variablesIn(template).flatMap((name) => [name, name.split('.', 1)[0] ?? name])
  return Object.fromEntries(
    [...new Set(used)].flatMap((name) =>
      Object.hasOwn(values, name) ? [[name, values[name]] as const] : [],
    ),
  )
}

/** Returns the function that makes the model calls of an execution. */
export function createStepCalls(
  ctx: Context,
  origin: CallOrigin,
  { calls, findAgent }: { readonly calls: Calls; readonly findAgent: FindAgent },
): EngineDeps['call'] {
  const base = { source: 'workflow', ...origin } as const

  async function agentCall(
    step: Extract<CallingStep, { type: 'agent' }>,
    values: Values,
  ): Promise<CallRequest> {
    const agent = await findAgent(origin.workspaceId, step.agent_key)
    if (agent === null) throw new StepError('invalid', `Agent ${step.agent_key} not found in this workspace`)
    const { response_schema: responseSchema, params, ...call } = agent.behaviour
    const variables = Object.entries(step.variables).map(([name, template]) => [name, fill(template, values)])
    return {
      ...base,
      env: agent.behaviour.prompt_key === null ? null : agent.behaviour.env,
      provider: call.provider,
      model: call.model,
      messages: call.messages,
      tools: call.tools,
      params,
      responseSchema,
      isJson: agent.isJson,
      template: agent.template,
      // A step provides no messages for the placeholders of a chat prompt, so they are removed.
      placeholders: {},
      variables: { input: values['input'], ...Object.fromEntries(variables) },
      // Leave out variables that were only found in the text. Without a declaration, a variable is required.
      declared: agent.declared.filter(({ declared }) => declared),
    }
  }

  function modelCall(step: Extract<CallingStep, { type: 'model' }>, values: Values): CallRequest {
    const template = plainTemplate(step.template)
    const { provider, model, messages, params, tools, response_schema: responseSchema } = step
    const variables = usedValues(template, values)
    return {
      ...base,
      env: null,
      provider,
      model,
      messages,
      tools,
      params,
      responseSchema,
      isJson: false,
      template,
      placeholders: {},
      variables,
      declared: [],
    }
  }

  return async (step, values, signal, onEvent): Promise<CallDone> => {
    const request = step.type === 'agent' ? await agentCall(step, values) : modelCall(step, values)
    return calls.call(ctx, request, signal, onEvent)
  }
}
