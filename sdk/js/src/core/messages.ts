import type { Message, PromptMessage } from './types.ts'

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isPlaceholder = (
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
