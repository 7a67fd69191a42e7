import type { ChatTemplate } from '../../../contract/models/chat.ts'
import type { ChatMessage } from '../../../contract/models/models.ts'
import type { CallRecord } from '../intents/record.ts'
import type { CallRequest } from '../request/call.ts'
import type { Prepared } from '../request/prepare.ts'
import { withoutValues, withoutValuesIn } from './redact.ts'
import type { ModelResponse } from './response.ts'

type Payload = Pick<CallRecord, 'input' | 'output' | 'redacted'>

/** Returns the response as one text: JSON of text and tool calls if there are tool calls. */
export function outputOf({ output, toolCalls }: ModelResponse): string | null {
  if (toolCalls.length > 0) return JSON.stringify({ text: output, tool_calls: toolCalls })
  return output === '' ? null : output
}

/**
 * Returns input and output of a call in two forms: unchanged, and redacted. The redacted input contains the
 * template in place of the rendered text, so that no spelling of a value remains in it. A placeholder
 * remains in place of the messages that were inserted.
 */
export function payloadOf(request: CallRequest, prepared: Prepared, response: ModelResponse): Payload {
  const { tools, responseSchema: schema, template } = request
  const inputOf = (messages: ChatTemplate) => ({
    messages,
    ...(tools.length > 0 && { tools }),
    ...(schema !== null && { response_schema: schema }),
  })
  const values = valuesOf(request)
  const redactMessage = withoutValuesInMessage(withoutValuesIn(values))
  const redactedMessages: ChatTemplate = [
    ...request.messages.map(redactMessage),
    ...(typeof template === 'string' ? [{ role: 'user' as const, content: template }] : template),
  ]
  const output = outputOf(response)
  return {
    input: inputOf(prepared.generate.messages),
    output,
    redacted: {
      input: inputOf(redactedMessages),
      output: output === null ? null : withoutValues(values)(output),
    },
  }
}

/** Returns everything that a caller gave: the values of variables, and the texts of inserted messages. */
const valuesOf = ({ variables, placeholders }: CallRequest): CallRequest['variables'] => ({
  ...variables,
  ...Object.fromEntries(
    Object.entries(placeholders).map(([name, messages]) => [
      `${name}.messages`,
      messages.map(({ content }) => content),
    ]),
  ),
})

const withoutValuesInMessage =
  (redact: ReturnType<typeof withoutValuesIn>) =>
  (message: ChatMessage): ChatMessage => {
    const redacted = { ...message, content: String(redact(message.content)) }
    if (redacted.role !== 'assistant' || redacted.tool_calls === undefined) return redacted
    const calls = redacted.tool_calls.map((call) => ({ ...call, arguments: redact(call.arguments) }))
    return { ...redacted, tool_calls: calls }
  }
