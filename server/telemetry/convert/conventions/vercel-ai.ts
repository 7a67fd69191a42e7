import { inputOf, noContent, outputOf, parsed, toolNamesOf } from '../content/content.ts'
import type { Convention } from '../convention.ts'

/** The spans of calls to the provider; those around them and of tools are not calls. */
const callOperation = /\.do(?:Generate|Stream|Embed)$/

/**
 * The Vercel AI SDK. Its calls also have attributes of `gen_ai`. Source: its documentation, "AI SDK Core › Telemetry",
 * of versions 4 to 6.
 */
export const vercelAi: Convention = {
  name: 'vercel_ai',
  isCall(attributes) {
    const operation = attributes.get('ai.operationId')
    return typeof operation === 'string' ? callOperation.test(operation) : null
  },
  describe(attributes) {
    if (attributes.get('ai.operationId') === 'ai.toolCall')
      return { kind: 'tool', name: attributes.get('ai.toolCall.name') }
    // An operation such as `ai.generateText`, which contains the calls.
    return { kind: 'step', name: attributes.get('ai.telemetry.functionId') }
  },
  fields: {
    provider: ['ai.model.provider'],
    model: ['ai.model.id'],
    response_model: ['ai.response.model'],
    response_id: ['ai.response.id'],
    prompt_tokens: ['ai.usage.inputTokens', 'ai.usage.promptTokens', 'ai.usage.tokens'],
    output_tokens: ['ai.usage.outputTokens', 'ai.usage.completionTokens'],
    total_tokens: ['ai.usage.totalTokens'],
    cached_tokens: ['ai.usage.cachedInputTokens'],
    reasoning_tokens: ['ai.usage.reasoningTokens'],
    finish_reason: ['ai.response.finishReason', 'ai.finishReason'],
    ttft_ms: ['ai.response.msToFirstChunk', 'ai.stream.msToFirstChunk'],
    session_id: ['ai.telemetry.metadata.sessionId'],
    end_user: ['ai.telemetry.metadata.userId'],
    tags: ['ai.telemetry.metadata.tags'],
  },
  metadataPrefixes: ['ai.telemetry.metadata.', 'ai.telemetry.'],
  content(attributes) {
    const input = attributes.get('ai.prompt.messages') ?? attributes.get('ai.prompt')
    const text =
      attributes.get('ai.response.text') ??
      attributes.get('ai.response.object') ??
      attributes.get('ai.result.text') ??
      attributes.get('ai.result.object')
    const calls = parsed(attributes.get('ai.response.toolCalls') ?? attributes.get('ai.result.toolCalls'))
    if (input === undefined && text === undefined && calls === undefined) return noContent
    return {
      input: inputOf(messagesOf(input)),
      output: typeof text === 'string' && text !== '' ? text : outputOf(calls),
      toolNames: toolNamesOf(calls),
    }
  },
}

/** `ai.prompt.messages` is a list as JSON; in version 4 a list of texts that are JSON. */
function messagesOf(value: unknown): unknown {
  const list = parsed(value)
  return Array.isArray(list) ? list.map(parsed) : list
}
