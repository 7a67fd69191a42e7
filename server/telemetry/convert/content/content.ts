import { pathBeyondDepth } from '../../../../contract/formats/json.ts'
import { isRecord } from '../../../lib/values/is-record.ts'

/** The captured texts of a call; null where the emitter sent none. */
export type Content = {
  readonly input: unknown
  readonly output: string | null
  readonly toolNames: readonly string[]
}

export const noContent: Content = { input: null, output: null, toolNames: [] }

type Message = { readonly role: string; readonly content: unknown }

/** Maximum number of characters of JSON in an attribute, which take about 40 ms to parse. */
const maxParsed = 4 * 1024 * 1024

const isJson = (value: unknown): value is string => typeof value === 'string' && /^\s*[[{]/.test(value)
/** Returns true for JSON that is stored as text because it is too long to be parsed. */
export const isTooLong = (value: unknown): boolean => isJson(value) && value.length > maxParsed

/**
 * Parses an attribute that is JSON as text; structured attributes and other texts are returned unchanged, and so is
 * JSON that is too long, or nested too deeply to be written again.
 */
export function parsed(value: unknown): unknown {
  if (!isJson(value) || value.length > maxParsed) return value
  try {
    const found: unknown = JSON.parse(value)
    return pathBeyondDepth(found) === null ? found : value
  } catch {
    return value
  }
}

/** Returns the text of a message: of a text, of its text parts, else its JSON. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = Array.isArray(content) ? content.map(textPart) : [null]
  return parts.every((part) => part !== null) ? parts.join('\n') : JSON.stringify(content)
}

function textPart(part: unknown): string | null {
  if (typeof part === 'string') return part
  if (!isRecord(part) || part['type'] !== 'text') return null
  const text = part['content'] ?? part['text']
  return typeof text === 'string' ? text : null
}

/** Converts one message of a convention. Text parts become a text; others are kept as they are. */
function messageOf(value: unknown, defaultRole: string): Message {
  if (!isRecord(value)) return { role: defaultRole, content: textOf(value) }
  const { role, parts, content = parts ?? null } = value
  const list = parts ?? content
  const isText = Array.isArray(list) && list.every((part) => textPart(part) !== null)
  return {
    role: typeof role === 'string' ? role : defaultRole,
    content: isText ? textOf(list) : list,
  }
}

/** Converts input messages, with system instructions in front. Returns null without any. */
export function inputOf(value: unknown, system?: unknown): unknown {
  const messages = parsed(value)
  const instructions = parsed(system)
  const first =
    instructions === undefined || instructions === null
      ? []
      : [messageOf({ role: 'system', parts: instructions }, 'system')]
  if (messages === undefined || messages === null) return first.length === 0 ? null : first
  const list: unknown[] = Array.isArray(messages) ? messages : [messages]
  return [...first, ...list.map((each) => messageOf(each, 'user'))]
}

/** Returns the text of output messages; their JSON if they contain more than text. Null without any. */
export function outputOf(value: unknown): string | null {
  const messages = parsed(value)
  if (messages === undefined || messages === null) return null
  if (typeof messages === 'string') return messages
  const list: unknown[] = Array.isArray(messages) ? messages : [messages]
  const texts = list.map((each) => messageOf(each, 'assistant').content)
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : JSON.stringify(messages)
}

export function toolNamesOf(value: unknown): string[] {
  const messages = parsed(value)
  if (!Array.isArray(messages)) return []
  return messages.flatMap((message) => {
    const parts = isRecord(message) ? (message['parts'] ?? message['tool_calls'] ?? [message]) : []
    return Array.isArray(parts) ? parts.flatMap(toolName) : []
  })
}

function toolName(call: unknown): string[] {
  if (!isRecord(call)) return []
  const { type, name, toolName: camelName, function: called } = call
  const own = camelName ?? (type === undefined || type === 'tool_call' ? name : undefined)
  const found = own ?? (isRecord(called) ? called['name'] : undefined)
  return typeof found === 'string' ? [found] : []
}
