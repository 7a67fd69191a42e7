import type { ChatMessage } from '../../../contract/models/models.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import { type Json, record } from '../protocols/json.ts'
import {
  argumentsObject,
  listOf,
  type ParamNames,
  plainParams,
  rejectParam,
  unlessGiven,
} from './parameters.ts'
import type { ApplyPrompt } from './served-prompt.ts'

const names: ParamNames = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  max_output_tokens: 'num_predict',
  stop: 'stop',
  seed: 'seed',
  frequency_penalty: 'frequency_penalty',
  presence_penalty: 'presence_penalty',
}

function messageOf(message: ChatMessage): Json {
  if (message.role === 'tool')
    return { role: 'tool', content: message.content, ...(message.name && { tool_name: message.name }) }
  if (message.role !== 'assistant' || message.tool_calls === undefined) return message
  return {
    role: 'assistant',
    content: message.content,
    tool_calls: message.tool_calls.map(({ name, arguments: given }) => ({
      function: { name, arguments: argumentsObject(given) },
    })),
  }
}

/** The protocol has no choice of tools; without their declarations no tool can be called. */
function toolFields({ tools = [], tool_choice: choice }: PromptParams): Json {
  if (choice === 'required') return rejectParam('tool_choice')
  if (tools.length === 0 || choice === 'none') return {}
  return { tools: tools.map((tool) => ({ type: 'function', function: tool })) }
}

function formatOf({ response_format: format }: PromptParams): Json {
  if (format === undefined || format.type === 'text') return {}
  return { format: format.type === 'json_schema' ? format.json_schema.schema : 'json' }
}

/** Inserts a prompt into a request for a chat completion. */
export const applyToOllamaChat: ApplyPrompt = (body, { model, before, after, params }) => {
  const given = record(body['options'])
  const options = { ...plainParams(params, names, given), ...given }
  return {
    path: null,
    body: {
      ...unlessGiven(body, 'tools', () => toolFields(params)),
      ...formatOf(params),
      ...body,
      model,
      messages: [...before.map(messageOf), ...listOf(body['messages']), ...after.map(messageOf)],
      ...(Object.keys(options).length > 0 && { options }),
    },
  }
}
