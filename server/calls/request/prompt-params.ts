import type { JsonSchema, ModelParams, ToolDeclaration } from '../../../contract/models/models.ts'
import { knownParams, type PromptParams } from '../../../contract/prompts/prompt-params.ts'
import type { CallRequest } from './call.ts'

type CallSettings = Pick<CallRequest, 'params' | 'tools' | 'responseSchema' | 'isJson'>

/**
 * Returns the settings of a call of a prompt: those of the call take precedence over the parameters of the
 * prompt. Parameters that this service does not know are for apps and are not sent.
 */
export function withPromptParams(
  call: {
    readonly params: ModelParams
    readonly tools: readonly ToolDeclaration[]
    readonly responseSchema: JsonSchema | null
  },
  prompt: PromptParams,
): CallSettings {
  const { tools = [], response_format: format } = prompt
  const known = Object.fromEntries(
    knownParams
      .filter((name) => name !== 'tools' && name !== 'response_format' && prompt[name] !== undefined)
      .map((name) => [name, prompt[name]]),
  ) as ModelParams
  const ownSchema = format?.type === 'json_schema' ? format.json_schema.schema : null
  return {
    params: { ...known, ...call.params },
    tools: call.tools.length > 0 ? call.tools : tools,
    responseSchema: call.responseSchema ?? ownSchema,
    isJson: call.responseSchema === null && format?.type === 'json_object',
  }
}
