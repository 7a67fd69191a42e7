import { z } from 'zod'
import { ToolCall } from '../../../../contract/models/models.ts'
import type { PromptMessage } from '../../../../contract/prompts/prompt-chat.ts'
import { t } from '../../../lib/i18n.ts'
import { type Message, newId } from '../playground.state.ts'

/** Chat messages in the format of most providers; `content` is text, or parts of which some are text. */
const Chat = z.array(z.looseObject({ role: z.string(), content: z.unknown() })).min(1)
const Wrapped = z.looseObject({
  messages: Chat,
  tools: z.array(z.unknown()).optional(),
  response_schema: z.unknown().optional(),
})
const Part = z.looseObject({ text: z.string() })
const OpenAiCall = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.unknown() }),
})

export type Input = {
  readonly content: string
  readonly messages: readonly Message[]
  /** All messages, with tool calls and their results; null if the input was not a chat. */
  readonly chat: readonly PromptMessage[] | null
  /** True if `content` and `messages` have all of the chat. */
  readonly isPlain: boolean
  /** Formatted JSON; empty for none. */
  readonly tools: string
  /** Formatted JSON; empty for none. */
  readonly schema: string
  readonly notes: readonly string[]
}

const roles: Readonly<Record<string, Message['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = z.array(Part).safeParse(content)
  return parts.success ? parts.data.map(({ text }) => text).join('') : JSON.stringify(content, null, 2)
}

const formatJson = (value: unknown): string =>
  value === undefined || value === null ? '' : JSON.stringify(value, null, 2)

/** Parses the arguments of a call, which OpenAI sends as text. */
function parsedArguments(text: unknown): unknown {
  if (typeof text !== 'string') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Converts the tool calls of a message, in the format of this service or of OpenAI. */
function callsOf(calls: unknown): ToolCall[] {
  return [calls ?? []].flat().flatMap((call) => {
    const openAi = OpenAiCall.safeParse(call).data
    if (openAi === undefined) return ToolCall.safeParse(call).data ?? []
    return {
      id: openAi.id,
      name: openAi.function.name,
      arguments: parsedArguments(openAi.function.arguments),
    }
  })
}

/** Converts a captured message; null if its role is not supported. */
function messageOf(message: z.infer<typeof Chat>[number]): PromptMessage | null {
  const content = message.content == null ? '' : textOf(message.content)
  if (message.role === 'tool') {
    const { tool_call_id: id, name } = message
    return {
      role: 'tool',
      content,
      tool_call_id: typeof id === 'string' ? id : '',
      ...(typeof name === 'string' && { name }),
    }
  }
  const role = Object.hasOwn(roles, message.role) ? roles[message.role] : undefined
  if (role === undefined || role === 'tool') return null
  const calls = role === 'assistant' ? callsOf(message['tool_calls']) : []
  return role === 'assistant' && calls.length > 0 ? { role, content, tool_calls: calls } : { role, content }
}

/**
 * Converts the captured input of a run; the last message of the user becomes the text. Null if it was not
 * captured.
 */
export function inputOf(input: unknown): Input | null {
  if (input === null || input === undefined) return null
  const textOnly = { messages: [], chat: null, isPlain: true, tools: '', schema: '', notes: [] }
  if (typeof input === 'string') return { ...textOnly, content: input }
  const wrapped = Wrapped.safeParse(input).data
  const chat = Chat.safeParse(input).data ?? wrapped?.messages
  if (chat === undefined)
    return { ...textOnly, content: textOf(input), notes: [t('playground:origin.as_json')] }
  const supported = chat.filter(({ role }) => Object.hasOwn(roles, role))
  const converted = chat.flatMap((message) => messageOf(message) ?? [])
  const notes = converted.length < chat.length ? [t('playground:origin.roles')] : []
  const last = supported.at(-1)
  const isPrompt = last !== undefined && roles[last.role] === 'user'
  const before = isPrompt ? supported.slice(0, -1) : supported
  return {
    content: isPrompt ? textOf(last.content) : '',
    messages: before.map(({ role, content }) => ({
      id: newId(),
      role: roles[role] ?? 'user',
      content: textOf(content),
    })),
    chat: converted,
    isPlain:
      isPrompt && supported.length === converted.length && chat.every(({ tool_calls: calls }) => !calls),
    tools: formatJson(wrapped?.tools),
    schema: formatJson(wrapped?.response_schema),
    notes,
  }
}
