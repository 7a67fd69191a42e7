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
  ['trace_id', 'trace ID of the span'],
  ['span_id', 'span ID of the span'],
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

/** The metrics of model calls in the conventions. */
export const metricNames = {
  duration: { name: 'gen_ai.client.operation.duration', unit: 's' },
  tokens: { name: 'gen_ai.client.token.usage', unit: '{token}' },
} as const

/** Buckets of durations in seconds, as the conventions advise. */
export const durationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
/** Buckets of tokens, as the conventions advise. */
export const tokenBuckets = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
]
