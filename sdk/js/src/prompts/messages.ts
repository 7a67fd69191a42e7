import { invalid } from '../core/errors.ts'
import { isObject, isPlaceholder } from '../core/messages.ts'
import type { Message, PlaceholderValues, PromptMessage, Variable } from '../core/types.ts'
import { renderTemplate } from './render.ts'

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
