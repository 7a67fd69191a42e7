import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { ChatMessage, ToolCall } from '../../../contract/models/models.ts'
import { argumentsObject, toolNameOf } from './tool-messages.ts'

/** Returns the messages in the form of the AI SDK. Results of tools that follow each other are one message. */
export function sdkMessages(messages: readonly ChatMessage[]): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Message[] = []
  for (const message of messages) {
    const converted = sdkMessage(message, messages)
    const last = prompt.at(-1)
    if (last?.role === 'tool' && converted.role === 'tool') last.content.push(...converted.content)
    else prompt.push(converted)
  }
  return prompt
}

function sdkMessage(message: ChatMessage, messages: readonly ChatMessage[]): LanguageModelV3Message {
  const { content } = message
  if (message.role === 'tool') {
    const { tool_call_id: toolCallId } = message
    const toolName = toolNameOf(message, messages)
    const output = { type: 'text', value: content } as const
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
  }
  const text = { type: 'text', text: content } as const
  if (message.role === 'assistant') {
    const { tool_calls: calls = [] } = message
    // Providers refuse an empty text beside tool calls.
    const texts = content === '' && calls.length > 0 ? [] : [text]
    return { role: 'assistant', content: [...texts, ...calls.map(sdkToolCall)] }
  }
  return message.role === 'system' ? { role: 'system', content } : { role: 'user', content: [text] }
}

const sdkToolCall = ({ id, name, arguments: input }: ToolCall) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: name,
  input: argumentsObject(input),
})
