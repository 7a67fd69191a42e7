import { chatText } from '../../../contract/models/chat.ts'
import type { PromptMessage, PromptType } from '../../../contract/prompts/prompt-chat.ts'

/** The text or the messages of a prompt that is edited. */
export type Typed = {
  readonly type: PromptType
  /** The text; unused for a chat. */
  readonly content: string
  /** The messages of a chat; empty for a text. */
  readonly messages: readonly PromptMessage[]
}

/** Returns the draft with the other type. A single user message and a text are converted without loss. */
export function withType<D extends Typed>(draft: D, type: PromptType): D {
  if (type === draft.type) return draft
  if (type === 'chat') {
    const messages: PromptMessage[] = draft.content === '' ? [] : [{ role: 'user', content: draft.content }]
    return { ...draft, type, messages }
  }
  const [first, ...more] = draft.messages
  const isOneText = first !== undefined && more.length === 0 && 'role' in first && first.role === 'user'
  return { ...draft, type, content: isOneText ? first.content : chatText(draft.messages), messages: [] }
}
