import type { SpanKind } from '../../../../contract/runs/spans.ts'
import { inputOf, outputOf } from '../content/content.ts'
import { fieldsEndingWith, indexedItems } from '../content/indexed.ts'
import type { Convention } from '../convention.ts'

const callTypes: ReadonlySet<unknown> = new Set(['chat', 'completion', 'embedding'])

const spanKinds: Readonly<Record<string, SpanKind | undefined>> = {
  agent: 'agent',
  workflow: 'workflow',
  task: 'step',
  tool: 'tool',
}

/**
 * OpenLLMetry by Traceloop, which precedes most of `gen_ai`. Source: openllmetry, package
 * opentelemetry-semantic-conventions-ai, `SpanAttributes`.
 */
export const traceloop: Convention = {
  name: 'traceloop',
  isCall(attributes) {
    const type = attributes.get('llm.request.type')
    if (type !== undefined) return callTypes.has(type)
    // Workflows, tasks, agents and tools.
    return attributes.has('traceloop.span.kind') ? false : null
  },
  describe(attributes) {
    const kind = spanKinds[String(attributes.get('traceloop.span.kind'))]
    return kind === undefined ? null : { kind, name: attributes.get('traceloop.entity.name') }
  },
  fields: {
    provider: ['llm.vendor'],
    model: ['llm.request.model'],
    response_model: ['llm.response.model'],
    prompt_tokens: ['llm.usage.prompt_tokens'],
    output_tokens: ['llm.usage.completion_tokens'],
    total_tokens: ['llm.usage.total_tokens'],
    finish_reason: ['gen_ai.completion.0.finish_reason', 'llm.response.finish_reason'],
    session_id: [
      'traceloop.association.properties.session_id',
      'traceloop.association.properties.conversation_id',
    ],
    end_user: ['traceloop.association.properties.user_id', 'llm.user'],
    ref_key: ['traceloop.prompt.key'],
    version: ['traceloop.prompt.version'],
  },
  params: {
    prefix: 'llm.',
    names: {
      'request.temperature': 'temperature',
      top_k: 'top_k',
      frequency_penalty: 'frequency_penalty',
      presence_penalty: 'presence_penalty',
      'request.max_tokens': 'max_tokens',
    },
  },
  metadataPrefixes: ['traceloop.association.properties.'],
  content(attributes) {
    const prompts = indexedItems(attributes, 'gen_ai.prompt.') ?? indexedItems(attributes, 'llm.prompts.')
    const completions =
      indexedItems(attributes, 'gen_ai.completion.') ?? indexedItems(attributes, 'llm.completions.')
    return {
      input:
        prompts === null
          ? inputOf(attributes.get('traceloop.entity.input'))
          : inputOf(prompts.map(toMessage)),
      output:
        completions === null
          ? outputOf(attributes.get('traceloop.entity.output'))
          : outputOf(completions.map(toMessage)),
      toolNames: fieldsEndingWith(completions, '.name').filter((name) => name !== ''),
    }
  },
}

function toMessage({ role, content, finish_reason: _reason, ...others }: Record<string, unknown>) {
  return { role, content: content ?? others }
}
