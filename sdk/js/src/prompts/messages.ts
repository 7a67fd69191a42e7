import { invalid } from '../core/errors.ts'
import type { Message, PlaceholderValues, PromptMessage, Variable } from '../core/types.ts'
import { renderTemplate } from './render.ts'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isPlaceholder = (
  message: PromptMessage,
): message is Extract<PromptMessage, { readonly placeholder: string }> => 'placeholder' in message

/** Returns the known members of a message; null if it is invalid. */
function readMessage(value: unknown): PromptMessage | null {
  if (!isObject(value)) return null
  const { placeholder, role, content, tool_calls: calls, tool_call_id: id, name } = value
  if (typeof placeholder === 'string') return { placeholder }
  if (typeof role !== 'string' || typeof content !== 'string') return null
  // The service validates roles, and which of the members each role has.
  return {
    role,
    content,
    ...(Array.isArray(calls) && { tool_calls: calls }),
    ...(typeof id === 'string' && { tool_call_id: id }),
    ...(typeof name === 'string' && { name }),
  } as Message
}

/** Returns the messages of a prompt, null for a text, undefined if they are invalid. */
export function readMessages(value: unknown): PromptMessage[] | null | undefined {
  if (value === undefined || value === null) return null
  if (!Array.isArray(value)) return undefined
  const messages = value.map(readMessage).filter((message) => message !== null)
  return messages.length === value.length ? messages : undefined
}

/** Returns the messages as one text, as the service does: `role: content`, a blank line between. */
export const textOfMessages = (messages: readonly PromptMessage[]): string =>
  messages
    .map((message) =>
      isPlaceholder(message)
        ? `placeholder: {{${message.placeholder}}}`
        : `${message.role}: ${message.content}`,
    )
    .join('\n\n')

/** Returns the messages that are inserted for a placeholder. */
function insertedFor(name: string, placeholders: PlaceholderValues): readonly Message[] {
  const messages: unknown = Object.hasOwn(placeholders, name) ? placeholders[name] : null
  if (messages === undefined || messages === null) return []
  if (Array.isArray(messages) && messages.every((message) => isObject(message) && 'role' in message))
    return messages as readonly Message[]
  throw invalid(`The placeholder ${name} must be a list of messages with a role.`)
}

/**
 * Renders the messages of a chat prompt as the service does: variables in each `content`, as in
 * `renderTemplate`. A placeholder becomes its list of messages, unchanged; without a list it becomes no
 * message.
 * @throws PromptdeckError `Invalid` if a value refers to itself, or if a placeholder is no list of messages.
 */
export function renderMessages(
  messages: readonly PromptMessage[],
  variables: Readonly<Record<string, unknown>> = {},
  declared: readonly Pick<Variable, 'name' | 'default'>[] = [],
  placeholders: PlaceholderValues = {},
): Message[] {
  return messages.flatMap((message): readonly Message[] =>
    isPlaceholder(message)
      ? insertedFor(message.placeholder, placeholders)
      : [{ ...message, content: renderTemplate(message.content, variables, declared) }],
  )
}
