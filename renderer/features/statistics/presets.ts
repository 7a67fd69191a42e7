import type { StatisticsSearch } from './statistics.search.ts'

export const presetNames = [
  'cost_by_workspace',
  'errors_by_version',
  'errors_by_type',
  'latency_by_model',
  'cost_by_user',
  'runs_by_app',
] as const
export type PresetName = (typeof presetNames)[number]

/** The search parameters of each preset: the whole view, without the filters of the current one. */
const presets: Readonly<Record<PresetName, StatisticsSearch>> = {
  cost_by_workspace: { by: 'workspace', metric: 'cost_usd', period: 'this_month' },
  errors_by_version: { by: 'version', metric: 'error', period: 'today' },
  errors_by_type: { by: 'error_type', and: 'provider', metric: 'error', status: ['error'], period: '7d' },
  latency_by_model: { by: 'model', metric: 'p95_latency_ms', period: '24h' },
  cost_by_user: { by: 'user', metric: 'cost_usd', period: 'this_month' },
  runs_by_app: { by: 'app', metric: 'count', period: '7d' },
}

export const presetOf = (name: PresetName): StatisticsSearch => presets[name]
