import { z } from 'zod'

/** A call of a tool that a model requested, or its result. */
export type ToolPart = { readonly kind: 'call' | 'result'; readonly name: string; readonly value: unknown }
/** A message of a conversation: its texts, its tool calls, and parts of other kinds such as images. */
export type ChatMessage = {
  readonly role: string
  readonly text: string
  readonly tools: readonly ToolPart[]
  readonly others: readonly unknown[]
}

const Messages = z.array(z.looseObject({ role: z.string() })).min(1)
const TextPart = z.looseObject({ text: z.string() })
const OpenAiCalls = z.array(
  z.looseObject({ function: z.looseObject({ name: z.string(), arguments: z.unknown() }) }),
)
const CallPart = z.looseObject({ type: z.enum(['tool_use', 'tool-call', 'tool_call', 'function_call']) })
const ResultPart = z.looseObject({ type: z.enum(['tool_result', 'tool-result', 'function_call_output']) })

/** Returns JSON as a value, any other text unchanged. */
export function parsedOrText(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
const parsedValue = (value: unknown): unknown => (typeof value === 'string' ? parsedOrText(value) : value)
const textOr = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback)

/** Returns a part of a message as a tool call, in the formats of the providers; null if it is none. */
function toolOf(part: unknown): ToolPart | null {
  const call = CallPart.safeParse(part)
  if (call.success) {
    const { name, toolName, tool_name, input, args, arguments: given } = call.data
    return {
      kind: 'call',
      name: textOr(name ?? toolName ?? tool_name, ''),
      value: parsedValue(input ?? args ?? given),
    }
  }
  const result = ResultPart.safeParse(part)
  if (!result.success) return null
  const { toolName, tool_use_id: id, content, output, result: given } = result.data
  return { kind: 'result', name: textOr(toolName ?? id, ''), value: parsedValue(content ?? output ?? given) }
}

function messageOf(message: z.infer<typeof Messages>[number]): ChatMessage {
  const { role, content, tool_calls: calls, name } = message
  const openAi = OpenAiCalls.safeParse(calls)
  const tools: ToolPart[] = openAi.success
    ? openAi.data.map((call) => ({
        kind: 'call' as const,
        name: call.function.name,
        value: parsedValue(call.function.arguments),
      }))
    : []
  if (role === 'tool')
    return {
      role,
      text: '',
      tools: [{ kind: 'result', name: textOr(name, ''), value: parsedValue(content) }],
      others: [],
    }
  const texts: string[] = []
  const others: unknown[] = []
  for (const part of Array.isArray(content) ? content : content == null ? [] : [content]) {
    const text = TextPart.safeParse(part)
    const tool = toolOf(part)
    if (typeof part === 'string') texts.push(part)
    else if (tool !== null) tools.push(tool)
    else if (text.success) texts.push(text.data.text)
    else others.push(part)
  }
  return { role, text: texts.join('\n\n'), tools, others }
}

/** Splits the input of a run by the service into its messages and the rest, such as tools and schema. */
function chatOf(value: unknown): { chat: unknown; rest: object | null } {
  if (typeof value !== 'object' || value === null || !('messages' in value))
    return { chat: value, rest: null }
  const { messages, ...rest } = value
  return { chat: messages, rest: Object.keys(rest).length === 0 ? null : rest }
}

/** Returns a captured value as a conversation and what else it contains; null if it is none. */
export function conversationOf(
  value: unknown,
): { readonly messages: readonly ChatMessage[]; readonly rest: object | null } | null {
  const { chat, rest } = chatOf(value)
  const messages = Messages.safeParse(chat)
  return messages.success ? { messages: messages.data.map(messageOf), rest } : null
}

export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)
