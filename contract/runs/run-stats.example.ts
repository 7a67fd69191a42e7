import type { z } from 'zod'
import type { RunStats } from './run-stats.ts'

const exampleMeasures = {
  count: 2,
  ok: 1,
  error: 1,
  total_tokens: 876,
  avg_latency_ms: 700,
  p95_latency_ms: 1240,
}
const exampleBreakdown = { ...exampleMeasures, cost_usd: 0.00267 }
const exampleFigures = {
  ...exampleBreakdown,
  error_rate: 0.5,
  prompt_tokens: 812,
  output_tokens: 64,
  p50_latency_ms: 160,
  p99_latency_ms: 1240,
  p50_ttft_ms: 310,
  p95_ttft_ms: 310,
  cost_unknown: 1,
  exact: true,
}
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
  p50_ttft_ms: 310,
  p95_ttft_ms: 310,
  exact: true,
  cost_usd: 0.00267,
  cost_unknown: 1,
  by_provider: [],
  by_model: [],
  by_source: [],
  by_ref_key: [],
  groups: [{ model: 'gpt-4o', ...exampleFigures }],
  group_count: 1,
  other: null,
  interval: 'hour',
  tz: 'UTC',
  rounded: false,
  series: [
    {
      start: '2026-11-21T09:00:00.000Z',
      ...exampleBreakdown,
      prompt_tokens: 812,
      output_tokens: 64,
      p50_latency_ms: 160,
      p99_latency_ms: 1240,
      p50_ttft_ms: 310,
      p95_ttft_ms: 310,
    },
  ],
}
