import type { RunStats } from '../../../../contract/runs/run-stats.ts'
import type { NameLookup } from '../store/forms.ts'
import type { Groups, Totals } from './collect.ts'
import type { StatColumn } from './sources.ts'
import { countOf, type Figures, figuresOf, type Sums } from './sums.ts'

/** The lists of names in statistics without `group_by`, with their columns. */
export const listedColumns = {
  provider: ['provider'],
  model: ['model'],
  source: ['source'],
  ref_key: ['ref_key', 'env'],
} as const satisfies Record<string, readonly StatColumn[]>
export type Listed = keyof typeof listedColumns
const maxNames = 1000
const maxKeys = 20
const maxOf = (listed: Listed): number => (listed === 'ref_key' ? maxKeys : maxNames)

type TopNames = { readonly ids: readonly number[]; readonly sums: Sums }[]
export type TopNamesByList = Readonly<Record<Listed, TopNames>>

export const noNames: TopNamesByList = { provider: [], model: [], source: [], ref_key: [] }

/** Returns the most frequent names of a list, and those as frequent as the last of them, up to a limit. */
export function topNamesOf(listed: Listed, groups: Groups): TopNames {
  const limit = maxOf(listed)
  const sorted = [...groups.values()]
    .filter(({ sums }) => countOf(sums) > 0)
    .sort((a, b) => countOf(b.sums) - countOf(a.sums))
  const last = sorted[limit - 1]
  if (last === undefined) return sorted
  const minCount = countOf(last.sums)
  return sorted.filter(
    ({ sums }, index) => index < limit || (index < limit + 1000 && countOf(sums) === minCount),
  )
}

/** The measures that lists and points have. */
const shortOf = (figures: Figures) => ({
  count: figures.count,
  ok: figures.ok,
  error: figures.error,
  total_tokens: figures.total_tokens,
  avg_latency_ms: figures.avg_latency_ms,
  p95_latency_ms: figures.p95_latency_ms,
  cost_usd: figures.cost_usd,
})

type Row = ReturnType<typeof shortOf> & { readonly names: readonly (string | null)[] }

/** Returns the most frequent names first; equal ones sorted by name. */
function rowsOf(listed: Listed, top: TopNames, nameOf: NameLookup): Row[] {
  const order = (row: { names: readonly (string | null)[] }) =>
    row.names.map((name) => name ?? '').join('\u0000')
  return top
    .map(({ ids, sums }) => ({ names: ids.map((id) => (id === 0 ? null : nameOf(id))), sums }))
    .sort((a, b) => countOf(b.sums) - countOf(a.sums) || (order(a) < order(b) ? -1 : 1))
    .slice(0, maxOf(listed))
    .map(({ names, sums }) => ({ names, ...shortOf(figuresOf(sums)) }))
}

/** Returns the points of a series, also those without runs. */
export const seriesOf = (points: readonly number[], sums: readonly Sums[]): RunStats['series'] =>
  points.flatMap((start, index) => {
    const at = sums[index]
    if (at === undefined) return []
    const figures = figuresOf(at)
    return {
      start: new Date(start).toISOString(),
      ...shortOf(figures),
      prompt_tokens: figures.prompt_tokens,
      output_tokens: figures.output_tokens,
      p50_latency_ms: figures.p50_latency_ms,
      p99_latency_ms: figures.p99_latency_ms,
      p50_ttft_ms: figures.p50_ttft_ms,
      p95_ttft_ms: figures.p95_ttft_ms,
    }
  })

/** Returns the figures of the whole, its series and its lists in the form of the contract. */
export function statsOf(
  { total, points: sums }: Totals,
  points: readonly number[],
  top: TopNamesByList,
  nameOf: NameLookup,
): Omit<RunStats, 'interval' | 'tz' | 'rounded'> {
  const { count, error_rate: _rate, ...figures } = figuresOf(total)
  const list = (listed: Listed) =>
    rowsOf(listed, top[listed], nameOf).map(({ names: [name = null, env = null], ...measures }) => ({
      name,
      env,
      ...measures,
    }))
  return {
    total: count,
    ...figures,
    by_provider: list('provider').map(({ name, env: _env, ...rest }) => ({ provider: name ?? '', ...rest })),
    by_model: list('model').map(({ name, env: _env, ...rest }) => ({ model: name ?? '', ...rest })),
    by_source: list('source').map(({ name, env: _env, ...rest }) => ({ source: name ?? '', ...rest })),
    by_ref_key: list('ref_key').map(({ name, ...rest }) => ({ ref_key: name, ...rest })),
    series: seriesOf(points, sums),
  }
}

/** Returns the approximate length of statistics as JSON. Serializing them would take as long as computing them. */
export function lengthOfStats({ series, previous_series = [], groups = [], ...stats }: RunStats): number {
  const { by_provider, by_model, by_source, by_ref_key } = stats
  const lists = [series, previous_series, by_provider, by_model, by_source, by_ref_key]
  const ofGroups = groups.map((group) => [group, ...(group.series ?? [])])
  return 400 * [...lists, ...ofGroups].reduce((rows, list) => rows + list.length, 1)
}
