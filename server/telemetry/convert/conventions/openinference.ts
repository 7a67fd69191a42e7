import type { SpanKind } from '../../../../contract/runs/spans.ts'
import type { Attributes } from '../../protocol/values.ts'
import { inputOf, outputOf } from '../content/content.ts'
import { fieldsEndingWith, indexedItems } from '../content/indexed.ts'
import type { Convention } from '../convention.ts'

const callKinds: ReadonlySet<unknown> = new Set(['LLM', 'EMBEDDING'])

/** The kinds of spans that are shown in a trace. */
const spanKinds: Readonly<Record<string, SpanKind | undefined>> = {
  AGENT: 'agent',
  TOOL: 'tool',
  CHAIN: 'step',
  RETRIEVER: 'step',
  RERANKER: 'step',
}

/**
 * OpenInference, as Arize Phoenix and its instrumentations send it. Source:
 * openinference/spec/semantic_conventions.md.
 */
export const openInference: Convention = {
  name: 'openinference',
  isCall(attributes) {
    const kind = attributes.get('openinference.span.kind')
    return kind === undefined ? null : callKinds.has(String(kind).toUpperCase())
  },
  describe(attributes) {
    const kind = spanKinds[String(attributes.get('openinference.span.kind')).toUpperCase()]
    if (kind === undefined) return null
    return { kind, name: attributes.get(kind === 'tool' ? 'tool.name' : 'agent.name') }
  },
  fields: {
    provider: ['llm.provider', 'llm.system'],
    model: ['llm.model_name', 'embedding.model_name'],
    prompt_tokens: ['llm.token_count.prompt'],
    output_tokens: ['llm.token_count.completion'],
    total_tokens: ['llm.token_count.total'],
    cached_tokens: ['llm.token_count.prompt_details.cache_read'],
    reasoning_tokens: ['llm.token_count.completion_details.reasoning'],
    finish_reason: ['llm.finish_reason'],
    cost_usd: ['llm.cost.total'],
    session_id: ['session.id'],
    end_user: ['user.id'],
    tags: ['tag.tags'],
    version: ['llm.prompt_template.version'],
    params: ['llm.invocation_parameters', 'embedding.invocation_parameters'],
    metadata: ['metadata'],
  },
  content(attributes) {
    const outputs = indexedItems(attributes, 'llm.output_messages.')
    return {
      input: messagesIn(attributes) ?? inputOf(attributes.get('input.value')),
      output: outputs === null ? outputOf(attributes.get('output.value')) : outputOf(outputs.map(toMessage)),
      toolNames: fieldsEndingWith(outputs, 'tool_call.function.name'),
    }
  },
}

function messagesIn(attributes: Attributes): unknown {
  const inputs = indexedItems(attributes, 'llm.input_messages.')
  return inputs === null ? null : inputOf(inputs.map(toMessage))
}

/** A message without text consists of its other fields, such as tool calls. */
function toMessage(item: Record<string, unknown>): { role: unknown; content: unknown } {
  const { 'message.role': role, 'message.content': content, ...others } = item
  const parts = fieldsEndingWith([item], 'message_content.text')
  return { role, content: content ?? (parts.length > 0 ? parts.join('\n') : others) }
}
