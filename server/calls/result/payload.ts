import type { CallRecord } from '../intents/record.ts'
import type { CallRequest } from '../request/call.ts'
import type { Prepared } from '../request/prepare.ts'
import type { Answer } from './answer.ts'
import { withoutValues } from './redact.ts'

type Payload = Pick<CallRecord, 'input' | 'output' | 'redacted'>

/** Returns the answer as one text: JSON of text and tool calls if there are tool calls. */
export function outputOf({ output, toolCalls }: Answer): string | null {
  if (toolCalls.length > 0) return JSON.stringify({ text: output, tool_calls: toolCalls })
  return output === '' ? null : output
}

/**
 * Returns input and output of a call in two forms: unchanged, and redacted. The redacted input contains the
 * template in place of the rendered text, so that no spelling of a value remains in it.
 */
export function payloadOf(request: CallRequest, prepared: Prepared, answer: Answer): Payload {
  const { tools, responseSchema: schema } = request
  const inputOf = (messages: readonly { role: string; content: string }[]) => ({
    messages,
    ...(tools.length > 0 && { tools }),
    ...(schema !== null && { response_schema: schema }),
  })
  const redact = withoutValues(request.variables)
  const redactedMessages = [
    ...request.messages.map(({ role, content }) => ({ role, content: redact(content) })),
    { role: 'user', content: request.template },
  ]
  const output = outputOf(answer)
  return {
    input: inputOf(prepared.generate.messages),
    output,
    redacted: { input: inputOf(redactedMessages), output: output === null ? null : redact(output) },
  }
}
