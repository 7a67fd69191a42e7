import { z } from 'zod'
import { Timestamp } from '../common/fields.ts'
import { runStatsFilters } from './run-filters.ts'

export const RunStatsQuery = z.strictObject({
  ...runStatsFilters,
  interval: z.enum(['minute', '5min', 'hour', 'day', 'auto']).default('auto').meta({
    description:
      '`auto`: minutes up to two hours, hours up to eight days, else days. `5min` is widened to hours where the period has more than 20,000 runs.',
  }),
})

const measures = {
  count: z.int(),
  ok: z.int(),
  error: z.int(),
  total_tokens: z.int(),
  avg_latency_ms: z.number().nullable(),
  p95_latency_ms: z.number().nullable(),
}
const breakdown = { ...measures, cost_usd: z.number().nullable() }
const point = {
  start: Timestamp,
  ...breakdown,
  prompt_tokens: z.int(),
  output_tokens: z.int(),
  p50_latency_ms: z.number().nullable(),
  p99_latency_ms: z.number().nullable(),
}

export const RunStats = z.object({
  total: z.int(),
  ok: z.int(),
  error: z.int(),
  prompt_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
  avg_latency_ms: z.number().nullable(),
  p50_latency_ms: z.number().nullable(),
  p95_latency_ms: z.number().nullable(),
  p99_latency_ms: z.number().nullable(),
  cost_usd: z
    .number()
    .nullable()
    .meta({ description: 'Sum over runs with a known cost; null if no run has one' }),
  cost_unknown: z.int().meta({ description: 'Runs with an unknown cost' }),
  by_provider: z.array(z.object({ provider: z.string(), ...breakdown })),
  by_model: z.array(z.object({ model: z.string(), ...breakdown })),
  by_source: z.array(z.object({ source: z.string(), ...breakdown })),
  by_ref_key: z
    .array(z.object({ ref_key: z.string().nullable(), ...breakdown }))
    .meta({ description: 'The 20 keys with the most runs' }),
  interval: z
    .enum(['minute', '5min', 'hour', 'day', 'month'])
    .meta({ description: 'Interval of a point of `series`' }),
  series: z
    .array(z.object(point))
    .max(1000)
    .meta({ description: 'All points of the period; without runs, counts are 0 and latencies are null' }),
})
export type RunStats = z.infer<typeof RunStats>

const exampleMeasures = {
  count: 2,
  ok: 1,
  error: 1,
  total_tokens: 876,
  avg_latency_ms: 700,
  p95_latency_ms: 1240,
}
const exampleBreakdown = { ...exampleMeasures, cost_usd: 0.00267 }
export const runStatsExample: z.input<typeof RunStats> = {
  total: 2,
  ok: 1,
  error: 1,
  prompt_tokens: 812,
  output_tokens: 64,
  total_tokens: 876,
  avg_latency_ms: 700,
  p50_latency_ms: 160,
  p95_latency_ms: 1240,
  p99_latency_ms: 1240,
  cost_usd: 0.00267,
  cost_unknown: 1,
  by_provider: [{ provider: 'openai', ...exampleBreakdown }],
  by_model: [{ model: 'gpt-4o', ...exampleBreakdown }],
  by_source: [{ source: 'sdk', ...exampleBreakdown }],
  by_ref_key: [{ ref_key: 'greet', ...exampleBreakdown }],
  interval: 'hour',
  series: [
    {
      start: '2026-11-21T09:00:00.000Z',
      ...exampleBreakdown,
      prompt_tokens: 812,
      output_tokens: 64,
      p50_latency_ms: 160,
      p99_latency_ms: 1240,
    },
  ],
}
