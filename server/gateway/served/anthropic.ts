import type { ChatMessage } from '../../../contract/models/models.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import type { Json } from '../protocols/json.ts'
import {
  argumentsObject,
  listOf,
  mergedField,
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
  max_output_tokens: 'max_tokens',
  stop: 'stop_sequences',
  seed: null,
  frequency_penalty: null,
  presence_penalty: null,
}

/** The protocol requires a limit. */
const defaultMaxTokens = 4096

const textBlock = (text: string): Json => ({ type: 'text', text })

function messageOf(message: ChatMessage): Json {
  const { content } = message
  if (message.role === 'tool') {
    const { tool_call_id: id } = message
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }
  }
  if (message.role !== 'assistant' || message.tool_calls === undefined) return { role: message.role, content }
  const calls = message.tool_calls.map(({ id, name, arguments: given }) => ({
    type: 'tool_use',
    id,
    name,
    input: argumentsObject(given),
  }))
  return { role: 'assistant', content: [...(content === '' ? [] : [textBlock(content)]), ...calls] }
}

const isInstruction = ({ role }: ChatMessage): boolean => role === 'system'

/** Instructions are a field of their own: those of the prompt come before those of the request. */
function systemOf(messages: readonly ChatMessage[], given: unknown): Json {
  const own = messages.filter(isInstruction).map(({ content }) => textBlock(content))
  if (own.length === 0) return given === undefined ? {} : { system: given }
  const more = typeof given === 'string' ? [textBlock(given)] : listOf(given)
  return { system: [...own, ...more] }
}

const choices = { auto: 'auto', none: 'none', required: 'any' } as const

const toolFields = ({ tools = [], tool_choice: choice }: PromptParams): Json => ({
  ...(tools.length > 0 && {
    tools: tools.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters,
    })),
    ...(choice !== undefined && { tool_choice: { type: choices[choice] } }),
  }),
})

function formatOf({ response_format: format }: PromptParams): Json {
  if (format === undefined || format.type === 'text') return {}
  if (format.type === 'json_object') return rejectParam('response_format')
  return { format: { type: 'json_schema', schema: format.json_schema.schema } }
}

/** Inserts a prompt into a request for a message. */
export const applyToMessage: ApplyPrompt = (body, { model, before, after, params }) => {
  const messagesOf = (messages: readonly ChatMessage[]) =>
    messages.filter((message) => !isInstruction(message)).map(messageOf)
  return {
    path: null,
    body: {
      max_tokens: defaultMaxTokens,
      ...plainParams(params, names, body),
      ...unlessGiven(body, 'tools', () => toolFields(params)),
      ...body,
      ...mergedField('output_config', formatOf(params), body),
      model,
      ...systemOf([...before, ...after], body['system']),
      messages: [...messagesOf(before), ...listOf(body['messages']), ...messagesOf(after)],
    },
  }
}
