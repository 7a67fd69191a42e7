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

/** Returns the start of the current day or month in local time. */
const startOf = (unit: 'day' | 'month', now: Date): string =>
  new Date(now.getFullYear(), now.getMonth(), unit === 'day' ? now.getDate() : 1).toISOString()

/** Returns the search parameters of a preset. Each is the whole view, without the filters of the current one. */
export function presetOf(name: PresetName, now = new Date()): StatisticsSearch {
  const presets: Record<PresetName, StatisticsSearch> = {
    cost_by_workspace: { by: 'workspace', metric: 'cost_usd', from: startOf('month', now) },
    errors_by_version: { by: 'version', metric: 'error', from: startOf('day', now) },
    errors_by_type: { by: 'error_type', and: 'provider', metric: 'error', status: ['error'], period: '7d' },
    latency_by_model: { by: 'model', metric: 'p95_latency_ms', period: '24h' },
    cost_by_user: { by: 'user', metric: 'cost_usd', from: startOf('month', now) },
    runs_by_app: { by: 'app', metric: 'count', period: '7d' },
  }
  return presets[name]
}
