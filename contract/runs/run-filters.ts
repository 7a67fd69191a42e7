import { z } from 'zod'
import { anyOf, KeyText, queryInt, queryNumber, queryTime, SearchText } from '../common/fields.ts'
import { maxLatencyMs, maxRunCost, maxTokens, RunEnvironment, RunStatus, TraceId } from './run.ts'

const name = (maxLength: number) => anyOf(z.string().min(1).max(maxLength))

/** The filters by value. Each has a counterpart `not_<name>`. */
const valueFilters = {
  source: name(128),
  provider: name(128),
  model: name(128),
  status: anyOf(RunStatus),
  workspace: name(64),
  ref_key: anyOf(KeyText),
  version: name(64),
  env: anyOf(RunEnvironment),
  user: name(64),
  app: name(128),
  token: name(128),
  client: name(64),
  session_id: name(128),
  end_user: name(128),
  tag: name(64),
  parent_id: name(64),
  error_type: name(64),
  trace_id: anyOf(TraceId),
  reply_mark: name(64),
}
export type ValueFilter = keyof typeof valueFilters
export const valueFilterNames = Object.keys(valueFilters) as readonly ValueFilter[]

type Negated<Filters> = { [Name in keyof Filters as `not_${Name & string}`]: Filters[Name] }
const negatedFilters = Object.fromEntries(
  Object.entries(valueFilters).map(([filter, schema]) => [`not_${filter}`, schema]),
) as Negated<typeof valueFilters>

/** The fields that a run may lack. */
export const optionalRunFields = [
  'env',
  'ref_key',
  'version',
  'app',
  'token',
  'client',
  'session_id',
  'end_user',
  'tags',
  'metadata',
  'parent_id',
  'error',
  'cost_usd',
  'total_tokens',
  'ttft_ms',
  'content',
] as const
export type OptionalRunField = (typeof optionalRunFields)[number]
const fieldNames = anyOf(z.enum(optionalRunFields))

/** `key:value`; the value is compared as text. */
const MetadataFilter = z.string().regex(/^[^:]{1,64}:.{0,256}$/su, 'Expected `key:value`')

/** The filters of the list, the export and the statistics, except `content`, for which statistics have no sums. */
export const runFilters = {
  ...valueFilters,
  ...negatedFilters,
  from: queryTime.optional(),
  to: queryTime.optional(),
  min_latency_ms: queryInt(0, maxLatencyMs).optional(),
  max_latency_ms: queryInt(0, maxLatencyMs).optional(),
  min_ttft_ms: queryInt(0, maxLatencyMs).optional(),
  max_ttft_ms: queryInt(0, maxLatencyMs).optional(),
  min_cost_usd: queryNumber(0, maxRunCost).optional(),
  max_cost_usd: queryNumber(0, maxRunCost).optional(),
  min_total_tokens: queryInt(0, maxTokens).optional(),
  max_total_tokens: queryInt(0, maxTokens).optional(),
  has: fieldNames,
  has_no: fieldNames,
  metadata: anyOf(MetadataFilter).meta({
    description: 'Runs whose metadata have this value: `key:value`, as text',
  }),
  q: SearchText.optional(),
}

/** The filters of the list and the export. */
export const listFilters = {
  ...runFilters,
  content: SearchText.optional().meta({
    description:
      'Words and "quoted phrases" in captured input and output; all must match. The last word outside quotes also matches longer words from three characters on. `total` is exact up to 1,000 (with phrases 100) if few texts match the words but not the other filters; else `total_capped` is set. Sorted by time only.',
  }),
}

/** The columns by which the list is sorted. Runs without the value come last in both directions. */
const runSortFields = ['created_at', 'latency_ms', 'cost_usd', 'total_tokens', 'ttft_ms'] as const
export type RunSortField = (typeof runSortFields)[number]
export type RunSort = RunSortField | `-${RunSortField}`
export const runSorts = runSortFields.flatMap((field): RunSort[] => [field, `-${field}`])
