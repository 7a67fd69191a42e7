import { fitsWhenRendered, render, variablesIn } from '../formats/template.ts'
import type { ChatMessage } from './models.ts'

/** A position in a chat prompt where the messages of a list are inserted. */
export type MessagePlaceholder = { readonly placeholder: string }
export type ChatTemplate = readonly (ChatMessage | MessagePlaceholder)[]
export type PlaceholderValues = Readonly<Record<string, readonly ChatMessage[]>>

type Values = Readonly<Record<string, unknown>>
type Declared = readonly { readonly name: string; readonly default?: unknown }[]

export const isPlaceholder = (message: ChatMessage | MessagePlaceholder): message is MessagePlaceholder =>
  'placeholder' in message

export const withoutPlaceholders = (messages: ChatTemplate): ChatMessage[] =>
  messages.flatMap((message) => (isPlaceholder(message) ? [] : [message]))

/** Returns the messages as one text: `role: content`, with a blank line between messages. */
export const chatText = (messages: ChatTemplate): string =>
  messages
    .map((message) =>
      isPlaceholder(message)
        ? `placeholder: {{${message.placeholder}}}`
        : `${message.role}: ${message.content}`,
    )
    .join('\n\n')

/** Returns the texts in which variables are replaced: the contents of the messages. */
export const chatTexts = (messages: ChatTemplate): string[] =>
  withoutPlaceholders(messages).map(({ content }) => content)

/** Returns the distinct variables of all messages, in order of appearance. */
export const chatVariables = (messages: ChatTemplate): string[] => [
  ...new Set(chatTexts(messages).flatMap(variablesIn)),
]

/** Returns the distinct placeholders for message lists, in order of appearance. */
export const chatPlaceholders = (messages: ChatTemplate): string[] => [
  ...new Set(messages.flatMap((message) => (isPlaceholder(message) ? [message.placeholder] : []))),
]

export type RenderedChat = {
  readonly messages: readonly ChatMessage[]
  /** Variables without a value; they are not replaced. */
  readonly missing: readonly string[]
}

/**
 * Renders the contents of the messages. A placeholder becomes its list of messages, unchanged; without a
 * list it is removed.
 */
export function renderChat(
  template: ChatTemplate,
  values: Values,
  declared: Declared = [],
  placeholders: PlaceholderValues = {},
): RenderedChat {
  const missing = new Set<string>()
  const messages = template.flatMap((message): readonly ChatMessage[] => {
    if (isPlaceholder(message)) {
      const { placeholder } = message
      return Object.hasOwn(placeholders, placeholder) ? (placeholders[placeholder] ?? []) : []
    }
    const rendered = render(message.content, values, declared)
    for (const name of rendered.missing) missing.add(name)
    return [{ ...message, content: rendered.text }]
  })
  return { messages, missing: [...missing] }
}

/** Returns true if the rendered contents would have at most `maxLength` UTF-16 code units, without rendering. */
export const chatFitsWhenRendered = (
  template: ChatTemplate,
  values: Values,
  declared: Declared,
  maxLength: number,
): boolean => fitsWhenRendered(chatTexts(template).join('\n'), values, declared, maxLength)
