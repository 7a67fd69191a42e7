import type { ChatMessage } from '../../../contract/models/models.ts'
import type { PromptParams } from '../../../contract/prompts/prompt-params.ts'
import type { Json } from '../protocols/json.ts'
import {
  argumentsText,
  listOf,
  mergedField,
  type ParamNames,
  plainParams,
  unlessGiven,
} from './parameters.ts'
import type { ApplyPrompt } from './served-prompt.ts'

const names: ParamNames = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: null,
  max_output_tokens: 'max_output_tokens',
  stop: null,
  seed: null,
  frequency_penalty: null,
  presence_penalty: null,
}

/** Returns the items of a message: tool calls and their results are items of their own. */
function itemsOf(message: ChatMessage): readonly Json[] {
  const { role, content } = message
  if (role === 'tool')
    return [{ type: 'function_call_output', call_id: message.tool_call_id, output: content }]
  const texts = content === '' ? [] : [{ role, content }]
  if (role !== 'assistant') return texts
  const calls = (message.tool_calls ?? []).map(({ id, name, arguments: given }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: argumentsText(given),
  }))
  return [...texts, ...calls]
}

/** The input of a request is a text or a list. An empty text is none: clients require an input. */
const inputOf = (input: unknown): readonly unknown[] =>
  typeof input === 'string' && input !== '' ? [{ role: 'user', content: input }] : listOf(input)

function formatOf({ response_format: format }: PromptParams): Json {
  if (format === undefined) return {}
  const { type } = format
  return { format: type === 'json_schema' ? { type, ...format.json_schema } : { type } }
}

const toolFields = ({ tools = [], tool_choice: choice }: PromptParams): Json => ({
  ...(tools.length > 0 && {
    tools: tools.map((tool) => ({ type: 'function', ...tool, strict: false })),
    ...(choice !== undefined && { tool_choice: choice }),
  }),
})

/** Inserts a prompt into a request for a response. */
export const applyToResponse: ApplyPrompt = (body, { model, before, after, params }) => ({
  path: null,
  body: {
    ...plainParams(params, names, body),
    ...unlessGiven(body, 'tools', () => toolFields(params)),
    ...body,
    ...mergedField('text', formatOf(params), body),
    model,
    input: [...before.flatMap(itemsOf), ...inputOf(body['input']), ...after.flatMap(itemsOf)],
  },
})
