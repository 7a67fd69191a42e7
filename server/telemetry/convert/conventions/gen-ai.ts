import type { SpanKind } from '../../../../contract/runs/spans.ts'
import { inputOf, outputOf, parsed, toolNamesOf } from '../content/content.ts'
import type { Convention } from '../convention.ts'

/** Values of `gen_ai.operation.name` of model calls. The others are agents, tools and workflows. */
const callOperations: ReadonlySet<unknown> = new Set([
  'chat',
  'text_completion',
  'generate_content',
  'embeddings',
])

/** The kinds of spans by the other values of `gen_ai.operation.name`. */
const spanKinds: Readonly<Record<string, SpanKind | undefined>> = {
  create_agent: 'agent',
  invoke_agent: 'agent',
  invoke_workflow: 'workflow',
  execute_tool: 'tool',
}

/**
 * The OpenTelemetry semantic conventions for generative AI, with names of earlier versions after the current
 * ones. Source: npm @opentelemetry/semantic-conventions 1.45, `ATTR_GEN_AI_*`.
 */
export const genAi: Convention = {
  name: 'gen_ai',
  isCall(attributes) {
    const operation = attributes.get('gen_ai.operation.name')
    if (operation !== undefined) return callOperations.has(operation)
    // Versions before 1.27 had no operation.
    if (attributes.has('gen_ai.request.model') || attributes.has('gen_ai.response.model')) return true
    return attributes.has('gen_ai.agent.name') || attributes.has('gen_ai.tool.name') ? false : null
  },
  describe(attributes) {
    const kind = spanKinds[String(attributes.get('gen_ai.operation.name'))]
    const [agent, tool] = [attributes.get('gen_ai.agent.name'), attributes.get('gen_ai.tool.name')]
    if (kind === 'workflow') return { kind, name: attributes.get('gen_ai.workflow.name') }
    if (kind === 'tool' || (kind === undefined && tool !== undefined)) return { kind: 'tool', name: tool }
    return kind === 'agent' || agent !== undefined ? { kind: 'agent', name: agent } : null
  },
  fields: {
    provider: ['gen_ai.provider.name', 'gen_ai.system'],
    model: ['gen_ai.request.model'],
    response_model: ['gen_ai.response.model'],
    response_id: ['gen_ai.response.id'],
    prompt_tokens: ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens'],
    output_tokens: ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens'],
    total_tokens: ['gen_ai.usage.total_tokens'],
    cached_tokens: ['gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_read_input_tokens'],
    reasoning_tokens: ['gen_ai.usage.reasoning.output_tokens', 'gen_ai.usage.reasoning_tokens'],
    finish_reason: ['gen_ai.response.finish_reasons'],
    cost_usd: ['gen_ai.usage.cost'],
    ttft_s: ['gen_ai.response.time_to_first_chunk', 'gen_ai.server.time_to_first_token'],
    session_id: ['gen_ai.conversation.id', 'session.id'],
    end_user: ['enduser.id', 'user.id', 'enduser.pseudo.id', 'user.hash'],
    ref_key: ['gen_ai.prompt.name'],
    version: ['gen_ai.prompt.version'],
    error_type: ['error.type'],
  },
  params: {
    prefix: 'gen_ai.request.',
    names: {
      temperature: 'temperature',
      top_p: 'top_p',
      top_k: 'top_k',
      max_tokens: 'max_tokens',
      stop_sequences: 'stop',
      seed: 'seed',
      frequency_penalty: 'frequency_penalty',
      presence_penalty: 'presence_penalty',
      'choice.count': 'n',
    },
  },
  content(attributes) {
    const output = parsed(attributes.get('gen_ai.output.messages'))
    return {
      input: inputOf(
        attributes.get('gen_ai.input.messages') ?? attributes.get('gen_ai.prompt'),
        attributes.get('gen_ai.system_instructions'),
      ),
      output: outputOf(output ?? attributes.get('gen_ai.completion')),
      toolNames: toolNamesOf(output),
    }
  },
}
