import { chatText } from '../../../../contract/models/chat.ts'
import type { PromptMessages, PromptType } from '../../../../contract/prompts/prompt-chat.ts'
import type { Body, BodyFields } from './body.ts'
import { messagesOf } from './body.ts'

/** The fields of a request that set a text or messages. */
export type ContentChange = {
  readonly type?: PromptType | null | undefined
  readonly content?: string | undefined
  readonly messages?: PromptMessages | null | undefined
}
export type ContentResult =
  | Pick<BodyFields, 'content' | 'messages'>
  | { readonly error: { readonly path: 'content' | 'messages'; readonly message: string } }

/** Returns the type of the prompt after a change. `current`: the messages before it; null for a text. */
const typeAfter = (change: ContentChange, current: PromptMessages | null): PromptType => {
  if (change.type != null) return change.type
  const messages = change.messages === undefined ? current : change.messages
  return messages === null ? 'text' : 'chat'
}

/**
 * Returns the text or the messages after a change. A change of the type alone converts: a text becomes one
 * user message, messages become one text. `before` null: the prompt is new.
 */
export function changedContent(change: ContentChange, before: Body | null): ContentResult {
  const current = before && messagesOf(before)
  const text = change.content ?? before?.content ?? ''
  if (typeAfter(change, current) === 'text') {
    if (change.messages == null) return { content: text, messages: null }
    return { error: { path: 'messages', message: 'Only a chat prompt has messages: set `type` to `chat`' } }
  }
  const messages = change.messages ?? current
  if (messages === null)
    return { content: '', messages: text === '' ? [] : [{ role: 'user', content: text }] }
  // A client may send an object back as it was read, with the derived content.
  const accepted = [undefined, before?.content, chatText(messages)]
  if (accepted.includes(change.content)) return { content: '', messages }
  const message =
    'The content of a chat prompt is derived: change `messages`, or set `type` to `text` without messages'
  return { error: { path: 'content', message } }
}
