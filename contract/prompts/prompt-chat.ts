import { z } from 'zod'
import type { FieldError } from '../common/problem.ts'
import { unsafeNames, variableName } from '../formats/template.ts'
import { type ChatTemplate, isPlaceholder } from '../models/chat.ts'
import { ChatMessage } from '../models/models.ts'

/** A text, or a list of messages. */
export const promptTypes = ['text', 'chat'] as const
export const PromptType = z.enum(promptTypes)
export type PromptType = z.infer<typeof PromptType>

export const maxMessages = 200
/** Maximum size of the messages as JSON, in UTF-16 code units. */
export const maxMessagesLength = 512 * 1024

export const VariableName = z
  .string()
  .min(1)
  .max(128)
  .regex(variableName, 'Letters, digits, `_` and `.` only')
  .refine((name) => unsafeNames([name]).length === 0, 'Not a valid variable name')

/** A position at which an app inserts a list of messages, such as the history of a conversation. */
const MessagePlaceholder = z.strictObject({
  placeholder: VariableName.meta({ description: 'The name under which the messages are given' }),
})

/** A message of a chat prompt. Variables are replaced in `content` only. */
export const PromptMessage = z.union([MessagePlaceholder, ChatMessage])
export type PromptMessage = z.infer<typeof PromptMessage>

/** The messages of a chat prompt, as they are returned. */
export const PromptMessages = z.array(PromptMessage)
export type PromptMessages = z.infer<typeof PromptMessages>

/** Lists of messages by the name of their placeholder. They are inserted unchanged. */
export const PlaceholderValues = z
  .record(VariableName, z.array(ChatMessage).max(maxMessages))
  .default({})
  .meta({
    description:
      'Lists of messages by the name of their placeholder. A placeholder without a list is removed',
  })

/**
 * Returns the reasons why providers would reject the order of tool calls and results. After a placeholder, a
 * result without a call is allowed, because the inserted messages may contain the call.
 */
export function toolCallFindings(messages: ChatTemplate): FieldError[] {
  const ids = new Set<string>()
  const findings: FieldError[] = []
  let isAfterPlaceholder = false
  for (const [index, message] of messages.entries()) {
    if (isPlaceholder(message)) {
      isAfterPlaceholder = true
      continue
    }
    if (message.role === 'tool' && !ids.has(message.tool_call_id) && !isAfterPlaceholder)
      findings.push({
        path: `${index}.tool_call_id`,
        message: 'No earlier message has a tool call with this ID',
      })
    if (message.role !== 'assistant') continue
    for (const [callIndex, { id }] of (message.tool_calls ?? []).entries()) {
      if (ids.has(id)) findings.push({ path: `${index}.tool_calls.${callIndex}.id`, message: 'Used twice' })
      ids.add(id)
    }
  }
  return findings
}

/** Returns true if a message has neither text nor a tool call. A placeholder is not empty. */
const isEmptyMessage = (message: ChatTemplate[number]): boolean =>
  !isPlaceholder(message) &&
  message.content.trim() === '' &&
  !(message.role === 'assistant' && message.tool_calls !== undefined)

/** Returns true if there is nothing to send to a model: no text, or only empty messages. */
export const isEmptyPrompt = (content: string, messages: ChatTemplate | null): boolean =>
  messages === null ? content.trim() === '' : messages.every(isEmptyMessage)
