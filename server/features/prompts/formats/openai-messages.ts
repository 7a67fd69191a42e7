import type { PromptMessage } from '../../../../contract/prompts/prompt-chat.ts'
import type { PromptParams } from '../../../../contract/prompts/prompt-params.ts'
import { knownParams, PromptParams as ParamsSchema } from '../../../../contract/prompts/prompt-params.ts'
import { isRecord } from '../../../lib/values/is-record.ts'
import { member } from '../../../resources/import-file.ts'
import type { OnLoss } from './exported.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns a message in the form of OpenAI. A placeholder has the form of Langfuse; OpenAI has none. */
export function toOpenAiMessage(message: PromptMessage): Fields {
  if ('placeholder' in message) return { type: 'placeholder', name: message.placeholder }
  if (message.role !== 'assistant' || message.tool_calls === undefined) return { ...message }
  const calls = message.tool_calls.map(({ id, name, arguments: input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }))
  return { role: message.role, content: message.content, tool_calls: calls }
}

/** Reads a message of OpenAI or Langfuse. `notes` receives what is left out. */
export function fromOpenAiMessage(value: unknown, notes: Set<string>): unknown {
  if (!isRecord(value)) return value
  const { role, name } = value
  if (typeof value['placeholder'] === 'string') return { placeholder: value['placeholder'] }
  if (value['type'] === 'placeholder' || role === 'placeholder') return { placeholder: name }
  if (role === 'developer') notes.add('The role developer became system')
  const content = textOf(value['content'], notes)
  if (role === 'tool') {
    return { role, content, tool_call_id: value['tool_call_id'], ...(name !== undefined && { name }) }
  }
  if (name !== undefined) notes.add('The names of messages are left out')
  const calls = value['tool_calls']
  return {
    role: role === 'developer' ? 'system' : role,
    content,
    ...(Array.isArray(calls) && calls.length > 0 && { tool_calls: calls.map(fromToolCall) }),
  }
}

function textOf(content: unknown, notes: Set<string>): unknown {
  if (content === null || content === undefined) return ''
  if (!Array.isArray(content)) return content
  return content
    .flatMap((part) => {
      if (isRecord(part) && typeof part['text'] === 'string') return [part['text']]
      notes.add('Parts of messages other than text are left out')
      return []
    })
    .join('')
}

function fromToolCall(call: unknown): unknown {
  const called = isRecord(call) ? call['function'] : undefined
  if (!isRecord(call) || !isRecord(called)) return call
  return { id: call['id'], name: called['name'], arguments: parsed(called['arguments']) }
}

function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text ?? {}
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Reports parameters that `fromOpenAiParams` reads as others, and those with the name of a field of the format. */
export function reportParams(params: PromptParams, fields: readonly string[], onLoss: OnLoss): void {
  for (const [name, value] of Object.entries(params)) {
    const isOther = ['max_tokens', 'max_completion_tokens', ...fields].includes(name)
    if (isOther) onLoss(`params.${name}`, 'The name has another meaning in the format')
    else if (value === null) onLoss(`params.${name}`, 'Null is read as absent')
  }
}

/** Returns parameters with the names of OpenAI. */
export function toOpenAiParams({ max_output_tokens: max, tools, ...params }: PromptParams): Fields {
  return {
    ...params,
    ...(max !== undefined && { max_tokens: max }),
    ...(tools !== undefined && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, ...(description !== '' && { description }), parameters },
      })),
    }),
  }
}

/**
 * Reads the parameters of another product. A known one with a value that is not valid here is left out, with a
 * note; unknown ones are kept.
 */
export function fromOpenAiParams(params: Fields, notes: Set<string>): Fields {
  const { max_completion_tokens: completion, max_tokens: max, stop, tools, ...rest } = params
  const limit = rest['max_output_tokens'] ?? completion ?? max
  const read: Record<string, unknown> = {
    ...rest,
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(stop !== undefined && { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(tools !== undefined && {
      tools: Array.isArray(tools) ? tools.map((tool) => fromTool(tool, notes)) : tools,
    }),
  }
  for (const name of Object.keys(read)) {
    const isNull = read[name] === null
    const isKnown = knownParams.some((known) => known === name)
    if (isNull) delete read[name]
    else if (isKnown && !ParamsSchema.safeParse({ [name]: read[name] }).success) {
      notes.add(`The parameter ${name} has a value that is not supported, and is left out`)
      delete read[name]
    }
  }
  return read
}

function fromTool(tool: unknown, notes: Set<string>): unknown {
  const declared = isRecord(tool) ? (tool['function'] ?? tool) : undefined
  if (!isRecord(declared)) return tool
  if (member(declared, 'strict') !== undefined) notes.add('The option strict of tools is left out')
  const { name, description, parameters } = declared
  return {
    name,
    ...(typeof description === 'string' && { description }),
    parameters: parameters ?? { type: 'object', properties: {} },
  }
}
