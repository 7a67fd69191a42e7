import { z } from 'zod'
import { isTimeZone, queryInt, queryTime, Timestamp } from '../common/fields.ts'
import { runFilters } from './run-filters.ts'

/** The dimensions by which statistics are grouped. */
export const statDimensions = [
  'provider',
  'model',
  'ref_key',
  'version',
  'env',
  'workspace',
  'app',
  'user',
  'token',
  'source',
  'status',
  'tag',
  'error_type',
] as const
export type StatDimension = (typeof statDimensions)[number]

/** The figures by which groups are sorted. Groups without the figure come last. */
export const statSortFields = [
  'count',
  'error',
  'error_rate',
  'total_tokens',
  'cost_usd',
  'avg_latency_ms',
  'p50_latency_ms',
  'p95_latency_ms',
  'p99_latency_ms',
  'p50_ttft_ms',
  'p95_ttft_ms',
] as const
export type StatSortField = (typeof statSortFields)[number]
const statSorts = statSortFields.flatMap((field): (StatSortField | `-${StatSortField}`)[] => [
  field,
  `-${field}`,
])

/** Maximum number of groups that have a series. */
export const maxSeriesGroups = 10

/** The relative error of percentiles that are not exact. */
export const percentileError = 0.039

const GroupBy = z
  .union([z.string().transform((text) => text.split(',')), z.array(z.string())])
  .pipe(z.array(z.enum(statDimensions)).min(1).max(2))

export const RunStatsQuery = z.strictObject({
  ...runFilters,
  interval: z.enum(['minute', '5min', 'hour', 'day', 'week', 'month', 'auto']).default('auto').meta({
    description:
      '`auto`: minutes up to two hours, hours up to eight days, else days. `5min` is widened to hours where the period has more than 20,000 runs. Weeks begin on Monday.',
  }),
  tz: z
    .string()
    .max(64)
    .refine(isTimeZone, 'Expected an IANA time zone such as Europe/Berlin')
    .optional()
    .meta({ description: 'IANA time zone of days, weeks and months; by default UTC' }),
  group_by: GroupBy.optional().meta({
    description:
      'One or two dimensions, separated by a comma. `ref_key` is grouped with its environment, and `version` with its prompt and environment',
  }),
  sort: z.enum(statSorts).optional().meta({ description: 'Order of `groups`; by default `-count`' }),
  limit: queryInt(1, 200).optional().meta({ description: 'Maximum number of groups; by default 20' }),
  series_of: z
    .enum(['total', 'groups'])
    .optional()
    .meta({
      description: `By default only the whole has a series. \`groups\`: the first ${maxSeriesGroups} groups have a series each`,
    }),
  compare_from: queryTime.optional().meta({
    description: 'Start of an earlier period, whose figures are in `previous`; it ends at `compare_to`',
  }),
  compare_to: queryTime.optional().meta({ description: 'By default `from`' }),
  compare_series: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'With `true`, the earlier period also has a series, in `previous_series`' }),
})

const TokenSum = z.int().meta({
  description: 'Sum of the known counts; `has_no=total_tokens` selects the runs without one',
})
const breakdown = {
  count: z.int(),
  ok: z.int(),
  error: z.int(),
  total_tokens: TokenSum,
  avg_latency_ms: z.number().nullable(),
  p95_latency_ms: z.number().nullable(),
  cost_usd: z.number().nullable(),
}
/** Percentiles besides that of every breakdown. */
const percentiles = {
  p50_latency_ms: z.number().nullable(),
  p99_latency_ms: z.number().nullable(),
  p50_ttft_ms: z.number().nullable().meta({
    description:
      'Time to first token of the runs that have one; null without any, and until they are added in the background after an upgrade',
  }),
  p95_ttft_ms: z.number().nullable(),
}
const point = {
  start: Timestamp,
  ...breakdown,
  prompt_tokens: z.int(),
  output_tokens: z.int(),
  ...percentiles,
}

const Series = z.array(z.object(point)).max(1000)

const StatFigures = z.object({
  ...breakdown,
  error_rate: z.number().nullable().meta({ description: 'From 0 to 1; null without runs' }),
  prompt_tokens: z.int(),
  output_tokens: z.int(),
  ...percentiles,
  cost_unknown: z.int().meta({ description: 'Runs with an unknown cost' }),
  exact: z.boolean().meta({
    description: 'True if the percentiles are those of the runs; false if they are within 3.9%',
  }),
})
export type StatFigures = z.infer<typeof StatFigures>

const GroupNames = z.object({
  provider: z.string().optional(),
  model: z.string().optional(),
  ref_key: z.string().nullable().optional(),
  version: z.string().nullable().optional(),
  env: z.string().nullable().optional(),
  workspace: z.string().optional(),
  app: z.string().nullable().optional(),
  user: z.string().optional(),
  token: z.string().nullable().optional(),
  source: z.string().optional(),
  status: z.string().optional(),
  tag: z.string().nullable().optional(),
  error_type: z.string().nullable().optional(),
})
export type StatGroupNames = z.infer<typeof GroupNames>

const StatGroup = GroupNames.extend({
  ...StatFigures.shape,
  previous: StatFigures.nullable().optional().meta({
    description: 'Figures of the period to compare with; null if it has no such runs',
  }),
  series: z
    .array(z.object(point))
    .optional()
    .meta({ description: 'With `series_of=groups`: the same times as `series` of the whole' }),
})
export type StatGroup = z.infer<typeof StatGroup>

export const RunStats = z.object({
  total: z.int(),
  ok: z.int(),
  error: z.int(),
  prompt_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: TokenSum,
  avg_latency_ms: z.number().nullable(),
  p95_latency_ms: z.number().nullable(),
  ...percentiles,
  exact: z.boolean().meta({
    description: 'True if the percentiles of the whole are those of the runs; false if they are within 3.9%',
  }),
  cost_usd: z
    .number()
    .nullable()
    .meta({ description: 'Sum over runs with a known cost; null if no run has one' }),
  cost_unknown: z.int().meta({ description: 'Runs with an unknown cost' }),
  by_provider: z
    .array(z.object({ provider: z.string(), ...breakdown }))
    .meta({ description: 'Like the other `by_` lists, empty if `group_by` is given' }),
  by_model: z.array(z.object({ model: z.string(), ...breakdown })),
  by_source: z.array(z.object({ source: z.string(), ...breakdown })),
  by_ref_key: z
    .array(z.object({ ref_key: z.string().nullable(), env: z.string().nullable(), ...breakdown }))
    .meta({ description: 'The 20 keys with the most runs, each with its environment (null if unknown)' }),
  groups: z.array(StatGroup).optional().meta({
    description: 'With `group_by`. A name that runs lack is null. A run counts for each of its tags',
  }),
  group_count: z.int().optional().meta({ description: 'Number of all groups' }),
  other: StatFigures.nullable().optional().meta({
    description: 'Sum of the groups beyond `limit`; null if there are none',
  }),
  previous: StatFigures.nullable().optional().meta({
    description: 'With `compare_from`: the whole of that period; null if it has no runs',
  }),
  interval: z
    .enum(['minute', '5min', 'hour', 'day', 'week', 'month'])
    .meta({ description: 'Interval of a point of `series`' }),
  tz: z.string().meta({
    description:
      'Time zone of the points. `UTC` instead of the requested one if more than 200,000 runs had to be read for it',
  }),
  rounded: z.boolean().meta({
    description: 'True if days begin up to an hour early, because the time zone is not whole hours from UTC',
  }),
  series: Series.meta({
    description: 'All points of the period; without runs, counts are 0 and latencies are null',
  }),
  previous_series: Series.optional().meta({
    description:
      'With `compare_series`: the points of the earlier period, in the same interval and time zone',
  }),
})
export type RunStats = z.infer<typeof RunStats>
