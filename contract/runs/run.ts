import { z } from 'zod'
import { environments } from '../common/environments.ts'
import { anyObject, clearable, Id, maxKeyLength, Timestamp } from '../common/fields.ts'
import { variableName } from '../formats/template.ts'
import { ContentState, Excerpt, maxOutputLength } from './run-content.ts'

export const runStatuses = ['ok', 'error'] as const
export const RunStatus = z.enum(runStatuses)

/** Milliseconds of 24 hours: the longest that a model call may take. */
export const maxLatencyMs = 86_400_000
export const maxTokens = 1_000_000_000
/** Highest cost of a run in US dollars. */
export const maxRunCost = 10_000
const Count = z.int().min(0).max(maxTokens)
const Name = z.string().trim().min(1).max(128)
/** A machine-readable name, used as a filter and for grouping. */
const ErrorType = z.string().regex(/^[a-z][a-z0-9_.-]{0,63}$/, 'Lower-case letters, digits, `_`, `-` and `.`')
const maxTags = 20
const Tag = z
  .string()
  .trim()
  .regex(/^[^,\p{Cc}]{1,64}$/u, '1 to 64 characters without commas')
/** Maximum sizes as JSON. */
export const maxMetadataBytes = 4096
export const maxParamsBytes = 16_384
export const RunEnvironment = z.enum(environments)
const Source = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'Lower-case letters, digits, `_` and `-`')

/** A name without commas, which separate names where they are stored. */
const ToolName = z.string().regex(/^[^,\p{Cc}]{1,128}$/u, '1 to 128 characters without commas')
/** Maximum number of tools in a run. */
export const maxToolNames = 128
export const TraceId = z.string().regex(/^(?!0{32})[0-9a-f]{32}$/, 'Expected 32 hexadecimal digits')
const SpanId = z.string().regex(/^(?!0{16})[0-9a-f]{16}$/, 'Expected 16 hexadecimal digits')

export const Run = z.object({
  id: z.int(),
  source: z.string(),
  ref_key: z.string().nullable(),
  version: z.string().nullable(),
  env: z.string().nullable().meta({ description: '`dev`, `test` or `prod`; null if unknown' }),
  workspace_id: Id,
  provider: z.string(),
  model: z.string(),
  prompt_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  total_tokens: z.int().nullable(),
  cached_tokens: z.int().nullable().meta({
    description: 'Part of `prompt_tokens` read from the cache of the provider; null if not reported',
  }),
  reasoning_tokens: z
    .int()
    .nullable()
    .meta({ description: 'Part of `output_tokens` used for reasoning; null if not reported' }),
  tokens_estimated: z
    .boolean()
    .meta({ description: 'Counted by the service (o200k), because the provider reported no usage' }),
  latency_ms: z.number(),
  ttft_ms: z.number().nullable(),
  cost_usd: z.number().nullable().meta({ description: 'Null if the price is unknown; 0 for a local model' }),
  status: RunStatus,
  error: z.string().nullable(),
  error_type: z.string().nullable().meta({
    description: 'Error type: `timeout`, `rate_limited`, `cancelled`, `interrupted`, …',
  }),
  user: z.string().nullable(),
  app: z.string().nullable().meta({ description: 'Name of the app that made the call, if it has one' }),
  token: z.string().nullable().meta({
    description: 'Name of the API token of the request; `service-token` for the service token',
  }),
  client_id: Id.nullable(),
  parent_id: Id.nullable(),
  session_id: z.string().nullable().meta({ description: 'Conversation that the run is part of' }),
  end_user: z.string().nullable().meta({
    description: 'User of the app, as reported; begins with `#` if the app asked for a hash',
  }),
  tags: z.array(z.string()).nullable(),
  metadata: anyObject().nullable(),
  trace_id: z
    .string()
    .nullable()
    .meta({ description: 'Trace that the call is part of: 32 hexadecimal digits (W3C Trace Context)' }),
  span_id: z.string().nullable().meta({ description: 'Span of the call: 16 hexadecimal digits' }),
  parent_span_id: z.string().nullable().meta({ description: 'Span that made the call; null for a root' }),
  reply_mark: z
    .string()
    .nullable()
    .meta({ description: '`unparsed`: a reply that is not of the protocol; `hit`: one from the cache' }),
  reported: z
    .boolean()
    .meta({ description: 'True if an app reported the run; false if the service made the call' }),
  created_at: Timestamp.meta({ description: 'Start of the call, or arrival of a report without this' }),
})
export type Run = z.infer<typeof Run>

export const ListedRun = Run.extend({
  excerpt: Excerpt.optional().meta({ description: 'Only with `content`: where the captured text matches' }),
})
export type ListedRun = z.infer<typeof ListedRun>

export const RunDetail = Run.extend({
  input: z.unknown().nullable(),
  output: z.string().nullable(),
  content_state: ContentState,
  params: anyObject().nullable(),
  finish_reason: z.string().nullable(),
  tokens_per_second: z.number().nullable().meta({
    description:
      'Output tokens over the time from the first one to the end (the whole time when not streamed)',
  }),
  response_id: z.string().nullable().meta({ description: 'ID of the reply, from the provider' }),
  provider_request_id: z.string().nullable().meta({ description: 'ID of the request at the provider' }),
  response_model: z.string().nullable().meta({
    description: 'The model that replied, from the provider; `model` is the one that was requested',
  }),
  tool_names: z.array(z.string()).nullable().meta({ description: 'Tools that the model called' }),
  call_id: z.string().nullable().meta({ description: 'Gateway call: `Promptdeck-Run-Id` of its reply' }),
  client_run_id: z.string().nullable(),
  variables: z.array(z.string()).nullable().meta({ description: 'Names of the variables that the run sent' }),
  request_id: z.string().nullable(),
  prompt_hash: z.string().nullable().meta({
    description:
      'SHA-256 of the text of the prompt with its includes, before variables are replaced; hexadecimal',
  }),
})
export type RunDetail = z.infer<typeof RunDetail>

const VariableName = z.string().min(1).max(128).regex(variableName, 'Letters, digits, `_` and `.` only')
const maxVariables = 200

/** Fields of a run that an app may set when it reports or requests the run. */
export const runContextFields = {
  session_id: clearable(Name.meta({ description: 'Conversation that the run is part of' })),
  end_user: clearable(Name.meta({ description: 'User of the app' })),
  hash_end_user: z.boolean().optional().meta({
    description:
      'Stores a keyed hash instead of `end_user`. The same user has the same hash; the filter `end_user` finds both',
  }),
  tags: clearable(z.array(Tag).max(maxTags)),
  metadata: clearable(
    anyObject(1, 64).meta({
      description: 'An object of the app, at most 4 KiB as JSON',
    }),
  ),
}
export type RunContext = z.infer<z.ZodObject<typeof runContextFields>>

/** The report of an app that calls its model itself. */
export const RunReport = z.strictObject({
  provider: Name,
  model: Name,
  latency_ms: z.number().min(0).max(maxLatencyMs),
  status: RunStatus,
  source: clearable(Source),
  ref_key: clearable(z.string().trim().normalize('NFC').min(1).max(maxKeyLength)),
  version: clearable(z.string().trim().min(1).max(64)),
  env: clearable(RunEnvironment).meta({
    description:
      'By default the environment of the API token, if it has exactly one. A token limited to environments cannot name another',
  }),
  workspace_id: clearable(
    z.string().min(1).max(64).meta({ description: 'ID or slug; the default is `default`' }),
  ),
  prompt_tokens: clearable(Count),
  output_tokens: clearable(Count),
  total_tokens: clearable(Count),
  cached_tokens: clearable(Count),
  reasoning_tokens: clearable(Count),
  tokens_estimated: clearable(z.boolean()),
  ttft_ms: clearable(z.number().min(0).max(maxLatencyMs)),
  cost_usd: clearable(z.number().min(0).max(maxRunCost)),
  error: clearable(z.string().max(8192)),
  error_type: clearable(ErrorType),
  parent_id: clearable(
    z.string().min(1).max(64).meta({
      description: 'The workflow execution or run that this run is part of; it must be in the same workspace',
    }),
  ),
  app: clearable(Name).meta({ description: 'By default the app of the live connection' }),
  ...runContextFields,
  client_run_id: clearable(
    z.string().min(1).max(128).meta({ description: 'A repeated ID returns the first run' }),
  ),
  finish_reason: clearable(z.string().max(64)),
  response_id: clearable(z.string().max(256)),
  provider_request_id: clearable(z.string().max(256)),
  response_model: clearable(Name),
  tool_names: clearable(z.array(ToolName).max(maxToolNames)),
  trace_id: clearable(TraceId),
  span_id: clearable(SpanId).meta({ description: 'With `trace_id`: a repeated span returns the first run' }),
  parent_span_id: clearable(SpanId),
  prompt_hash: clearable(z.string().regex(/^[0-9a-f]{64}$/, 'Expected a SHA-256 in hexadecimal')),
  variables: clearable(
    z
      .union([
        z.array(VariableName).max(maxVariables),
        z
          .record(VariableName, z.unknown())
          .refine((values) => Object.keys(values).length <= maxVariables, `At most ${maxVariables} names`),
      ])
      .meta({
        description:
          'Names, or an object of names and values. Values are not stored. If `capture` is `redacted`, they are replaced by `{{name}}` in `input` and `output`',
      }),
  ),
  params: clearable(anyObject(0, 128)),
  input: clearable(z.unknown()),
  output: clearable(z.string().max(maxOutputLength)),
  created_at: clearable(z.iso.datetime({ offset: true })),
})
export type RunReport = z.infer<typeof RunReport>

export const runExample: z.input<typeof Run> = {
  id: 1042,
  source: 'sdk',
  ref_key: 'greet',
  version: 'v3',
  env: 'prod',
  workspace_id: 'default',
  provider: 'openai',
  model: 'gpt-4o',
  prompt_tokens: 812,
  output_tokens: 64,
  total_tokens: 876,
  cached_tokens: 512,
  reasoning_tokens: null,
  tokens_estimated: false,
  latency_ms: 1240,
  ttft_ms: 310,
  cost_usd: 0.00267,
  status: 'ok',
  error: null,
  error_type: null,
  user: 'edda',
  app: 'checkout',
  token: null,
  client_id: null,
  parent_id: null,
  session_id: 'conversation-17',
  end_user: '#k3J8d0QmV1nXo2bT5wZyAA',
  tags: ['beta', 'eu'],
  metadata: { plan: 'pro' },
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  span_id: null,
  parent_span_id: null,
  reply_mark: null,
  reported: true,
  created_at: '2026-11-21T09:30:00.000Z',
}
