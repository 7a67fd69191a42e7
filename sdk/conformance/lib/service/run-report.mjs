import { z } from 'zod'

const name = z.string().trim().min(1).max(128)
const count = z.int().min(0).max(1_000_000_000).nullish()
const milliseconds = z.number().min(0).max(86_400_000)
const text = (max) => z.string().min(1).max(max).nullish()
const hex = (digits) =>
  z
    .string()
    .length(digits)
    .regex(/^[0-9a-f]+$/)
    .nullish()

/** Schema of one run of `POST /api/runs`. Unknown members are rejected, as in the service. */
const RunReport = z.strictObject({
  provider: name,
  model: name,
  latency_ms: milliseconds,
  status: z.enum(['ok', 'error']),
  source: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,31}$/)
    .nullish(),
  ref_key: text(200),
  version: text(64),
  env: z.enum(['dev', 'test', 'prod']).nullish(),
  workspace_id: text(64),
  app: text(128),
  session_id: text(128),
  end_user: text(128),
  hash_end_user: z.boolean().optional(),
  tags: z
    .array(z.string().regex(/^[^,]{1,64}$/))
    .max(20)
    .nullish(),
  metadata: z.record(z.string().min(1).max(64), z.unknown()).nullish(),
  prompt_tokens: count,
  output_tokens: count,
  total_tokens: count,
  cached_tokens: count,
  reasoning_tokens: count,
  tokens_estimated: z.boolean().nullish(),
  ttft_ms: milliseconds.nullish(),
  cost_usd: z.number().min(0).max(10_000).nullish(),
  error: z.string().max(8192).nullish(),
  error_type: z
    .string()
    .regex(/^[a-z][a-z0-9_.-]{0,63}$/)
    .nullish(),
  parent_id: text(64),
  client_run_id: text(128),
  finish_reason: z.string().max(64).nullish(),
  response_id: text(256),
  provider_request_id: text(256),
  response_model: text(128),
  tool_names: z
    .array(z.string().regex(/^[^,]{1,128}$/))
    .max(128)
    .nullish(),
  trace_id: hex(32),
  span_id: hex(16),
  parent_span_id: hex(16),
  variables: z
    .array(
      z
        .string()
        .min(1)
        .max(128)
        .regex(/^[\w.]+$/),
    )
    .max(200)
    .nullish(),
  params: z.record(z.string().max(128), z.unknown()).nullish(),
  input: z.unknown().optional(),
  output: z.string().max(524_288).nullish(),
  created_at: z.iso
    .datetime({ offset: true })
    .refine((at) => Date.parse(at) <= Date.now() + 300_000, 'More than 5 minutes in the future')
    .nullish(),
})
const Body = z.array(RunReport).min(1).max(500)

/** Returns `{runs}`, each with its `age_ms`, or `{errors: [{path, message}]}` in the form of a 422 reply. */
export function readRuns(body) {
  const list = Array.isArray(body) ? body : [body]
  const parsed = Body.safeParse(list)
  if (parsed.success) {
    const arrivedAt = Date.now()
    return { runs: parsed.data.map((run) => ({ ...run, age_ms: arrivedAt - Date.parse(run.created_at) })) }
  }
  const errors = parsed.error.issues.flatMap(({ path, message, keys }) => {
    const location = Array.isArray(body) ? path : path.slice(1)
    const unknownKeys = keys?.map((key) => ({
      path: [...location, key].join('.'),
      message: 'Unknown parameter',
    }))
    return unknownKeys ?? [{ path: location.join('.'), message }]
  })
  return { errors }
}
