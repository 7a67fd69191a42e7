import { z } from 'zod'
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

export type Input = {
  readonly content: string
  readonly messages: readonly Message[]
  /** JSON as typed; empty for none. */
  readonly tools: string
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

/**
 * Converts the captured input of a run; the last message of the user becomes the text. Null if it was not
 * captured.
 */
export function inputOf(input: unknown): Input | null {
  if (input === null || input === undefined) return null
  const textOnly = { messages: [], tools: '', schema: '', notes: [] }
  if (typeof input === 'string') return { ...textOnly, content: input }
  const wrapped = Wrapped.safeParse(input).data
  const chat = Chat.safeParse(input).data ?? wrapped?.messages
  if (chat === undefined)
    return { ...textOnly, content: textOf(input), notes: [t('playground:origin.as_json')] }
  const supported = chat.filter(({ role }) => role in roles)
  const notes = supported.length < chat.length ? [t('playground:origin.roles')] : []
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
    tools: formatJson(wrapped?.tools),
    schema: formatJson(wrapped?.response_schema),
    notes,
  }
}
