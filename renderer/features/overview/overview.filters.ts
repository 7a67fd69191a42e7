import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { t } from '../../lib/i18n.ts'
import type { FilterField } from '../../ui/filter/filters.ts'
import { filterNames } from './overview.search.ts'

/** Returns the filters of the Overview; their suggestions are the names that occur in the period. */
export function overviewFilters(stats: RunStats | undefined): readonly FilterField[] {
  const names = {
    provider: stats?.by_provider.map((row) => row.provider),
    model: stats?.by_model.map((row) => row.model),
    source: stats?.by_source.map((row) => row.source),
    ref_key: stats && [...new Set(stats.by_ref_key.flatMap((row) => row.ref_key ?? []))],
  }
  return filterNames.map((name) => ({
    name,
    label: t(`overview:by.name.${name}`),
    kind: 'text',
    suggestions: names[name] ?? [],
  }))
}
