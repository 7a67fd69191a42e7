import fc from 'fast-check'
import type { Environment } from '../../../../contract/common/environments.ts'
import type { RunReport } from '../../../../contract/runs/run.ts'
import type { OptionalRunField } from '../../../../contract/runs/run-filters.ts'
import { statDimensions } from '../../../../contract/runs/run-stats.ts'
import { day, hour, noon } from '../runs-support.ts'

export const start = noon - 80 * day

const name = (...names: string[]) => fc.constantFrom(...names)

const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null, freq: 3 })

export const report: fc.Arbitrary<RunReport> = fc.record({
  provider: name('openai', 'claude', 'ollama'),
  model: name('gpt-4o', 'gpt-4o-mini', 'claude-opus', 'llama3'),
  latency_ms: fc.oneof(fc.nat(100), fc.double({ min: 0, max: 60_000, noNaN: true })),
  ttft_ms: nullable(fc.oneof(fc.nat(100), fc.double({ min: 0, max: 9000, noNaN: true }))),
  status: fc.constantFrom('ok', 'ok', 'ok', 'error'),
  source: name('sdk', 'playground', 'agent'),
  ref_key: nullable(name('greet', 'sum/short', 'sum/long', 'triage')),
  version: nullable(name('v1', 'v2')),
  env: nullable(fc.constantFrom<Environment>('dev', 'prod')),
  app: nullable(name('shop', 'desk')),
  tags: nullable(fc.subarray(['beta', 'eu', 'vip'], { minLength: 1 })),
  error_type: nullable(name('timeout', 'rate_limited')),
  workspace_id: name('default', 'sales', 'w-lab'),
  prompt_tokens: nullable(fc.nat(5000)),
  output_tokens: nullable(fc.nat(900)),
  cost_usd: nullable(fc.nat(1_000_000_000).map((nano) => nano / 1e9)),
  error: nullable(name('timeout after 30 s', 'rate limit reached', 'model overloaded')),
  // Dense around a few instants, so that edges of hours, days and months and equal times all occur.
  created_at: fc
    .oneof(
      fc.nat(80 * day),
      fc.nat(20).map((n) => n * hour),
      fc.nat(20).map((n) => n * hour - 1),
      fc.nat(79).map((n) => n * day - 12 * hour),
      fc.constant(40 * day),
    )
    .map((offset) => new Date(Math.max(start, start + offset)).toISOString()),
})

const instant = fc
  .oneof(
    fc.nat(80 * day),
    fc.nat(80).map((n) => n * day - 12 * hour),
    fc.nat(100).map((n) => n * hour),
    fc.constantFrom(Date.parse('2026-10-01') - start, Date.parse('2026-11-01') - start),
  )
  .map((offset) => new Date(start + offset))

const optionalSubset = (...names: string[]) =>
  fc.option(fc.subarray([...names, 'nowhere'], { minLength: 1 }), { nil: undefined, freq: 1 })

const statsFilters = {
  source: optionalSubset('sdk', 'playground', 'agent'),
  provider: optionalSubset('openai', 'claude', 'ollama'),
  model: optionalSubset('gpt-4o', 'gpt-4o-mini', 'claude-opus'),
  status: fc.option(fc.subarray(['ok', 'error'] as ('ok' | 'error')[], { minLength: 1 }), {
    nil: undefined,
    freq: 1,
  }),
  workspace: optionalSubset('default', 'w-sales', 'lab'),
  ref_key: optionalSubset('greet', 'sum/short'),
  env: fc.option(fc.subarray(['dev', 'test', 'prod'] as Environment[], { minLength: 1 }), {
    nil: undefined,
    freq: 1,
  }),
  version: optionalSubset('v1'),
  user: optionalSubset('edda', 'finn'),
  app: optionalSubset('shop'),
  tag: optionalSubset('beta', 'vip'),
  error_type: optionalSubset('timeout'),
  not_provider: optionalSubset('openai'),
  not_app: optionalSubset('desk'),
  not_tag: optionalSubset('eu'),
  has_no: fc.option(
    fc.subarray(['env', 'app', 'ref_key', 'tags'] as OptionalRunField[], { minLength: 1, maxLength: 1 }),
    {
      nil: undefined,
      freq: 1,
    },
  ),
  from: fc.option(instant, { nil: undefined }),
  to: fc.option(instant, { nil: undefined }),
}

export const filters = fc.record(
  {
    ...statsFilters,
    min_latency_ms: fc.option(fc.nat(30_000), { nil: undefined, freq: 1 }),
    max_latency_ms: fc.option(fc.nat(60_000), { nil: undefined, freq: 1 }),
    q: fc.option(name('gpt', 'sum', 'timeout', 'gpt 4o', 'over greet', 'lim', 'zzz', '4o mini'), {
      nil: undefined,
      freq: 1,
    }),
  },
  { requiredKeys: [] },
)

const interval = fc.constantFrom('minute', '5min', 'hour', 'day', 'auto')

/** Few filters at once, so that roll-ups of every kind are used, and combinations of up to two with rows. */
export const statsQuery = fc.oneof(
  fc.record({ ...statsFilters, interval }, { requiredKeys: [] }),
  fc
    .tuple(
      fc.subarray(Object.keys(statsFilters) as (keyof Filters)[], { maxLength: 2 }),
      fc.record(statsFilters),
      interval,
    )
    .map(([names, all, chosen]) => ({
      ...Object.fromEntries(names.map((filter) => [filter, all[filter as keyof typeof all]])),
      interval: chosen,
    })),
)

export const grouping = fc.uniqueArray(fc.constantFrom(...statDimensions), { minLength: 1, maxLength: 2 })

export type Filters = typeof filters extends fc.Arbitrary<infer F> ? F : never
