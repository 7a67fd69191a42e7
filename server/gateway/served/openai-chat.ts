import type { ChatMessage } from '../../../contract/models/models.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import type { Json } from '../protocols/json.ts'
import { argumentsText, listOf, type ParamNames, plainParams, unlessGiven } from './parameters.ts'
import type { ApplyPrompt } from './served-prompt.ts'

const names: ParamNames = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  max_output_tokens: 'max_completion_tokens',
  stop: 'stop',
  seed: 'seed',
  frequency_penalty: 'frequency_penalty',
  presence_penalty: 'presence_penalty',
}

function messageOf(message: ChatMessage): Json {
  if (message.role === 'tool')
    return { role: 'tool', content: message.content, tool_call_id: message.tool_call_id }
  if (message.role !== 'assistant' || message.tool_calls === undefined) return message
  return {
    role: 'assistant',
    content: message.content,
    tool_calls: message.tool_calls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: argumentsText(given) },
    })),
  }
}

const toolFields = ({ tools = [], tool_choice: choice }: PromptParams): Json => ({
  ...(tools.length > 0 && {
    tools: tools.map((tool) => ({ type: 'function', function: tool })),
    ...(choice !== undefined && { tool_choice: choice }),
  }),
})

/** Inserts a prompt into a request for a chat completion. */
export const applyToChat: ApplyPrompt = (body, { model, before, after, params }) => {
  // An older name of the same limit.
  const { max_tokens: limit } = body
  const given = limit === undefined ? body : { ...body, max_completion_tokens: limit }
  return {
    path: null,
    body: {
      ...plainParams(params, names, given),
      ...unlessGiven(body, 'tools', () => toolFields(params)),
      ...(params.response_format !== undefined && { response_format: params.response_format }),
      ...body,
      model,
      messages: [...before.map(messageOf), ...listOf(body['messages']), ...after.map(messageOf)],
    },
  }
}
