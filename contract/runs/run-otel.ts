import type { RunDetail } from './run.ts'

/**
 * The name of each run field in the OpenTelemetry conventions for generative AI (still experimental), for
 * exporting runs. Cached and reasoning tokens are part of the totals, as in the conventions.
 */
export const otelNames: readonly (readonly [field: keyof RunDetail, name: string])[] = [
  ['provider', 'gen_ai.provider.name'],
  ['model', 'gen_ai.request.model'],
  ['params', 'gen_ai.request.temperature, .top_p, .top_k, .max_tokens, .stop_sequences, .seed, …'],
  ['prompt_tokens', 'gen_ai.usage.input_tokens'],
  ['cached_tokens', 'gen_ai.usage.cache_read.input_tokens'],
  ['output_tokens', 'gen_ai.usage.output_tokens'],
  ['reasoning_tokens', 'gen_ai.usage.reasoning.output_tokens'],
  ['latency_ms', 'gen_ai.client.operation.duration (in seconds)'],
  ['ttft_ms', 'gen_ai.response.time_to_first_chunk (in seconds)'],
  ['response_model', 'gen_ai.response.model'],
  ['response_id', 'gen_ai.response.id'],
  ['trace_id', 'trace id of the span'],
  ['span_id', 'span id of the span'],
  ['finish_reason', 'gen_ai.response.finish_reasons (a list)'],
  ['error_type', 'error.type'],
  ['env', 'deployment.environment.name (of the resource)'],
  ['app', 'service.name (of the resource)'],
  ['session_id', 'gen_ai.conversation.id'],
  ['end_user', 'user.id, or user.hash if it was hashed'],
  ['ref_key', 'gen_ai.prompt.name'],
  ['input', 'gen_ai.input.messages'],
  ['output', 'gen_ai.output.messages'],
]
