import type { ChatMessage } from '../../../contract/models/models.ts'
import { isRecord } from '../../lib/values/is-record.ts'

type ToolMessage = Extract<ChatMessage, { role: 'tool' }>

/** Returns the name of the tool of a result: its own, else that of the call with its id. */
export function toolNameOf(result: ToolMessage, messages: readonly ChatMessage[]): string {
  if (result.name !== undefined) return result.name
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  )
  return calls.find(({ id }) => id === result.tool_call_id)?.name ?? result.tool_call_id
}

/** Returns the arguments of a call as an object, for protocols that take no other JSON. */
export const argumentsObject = (value: unknown): Readonly<Record<string, unknown>> =>
  isRecord(value) ? value : { value }
