import { environments } from '../../../contract/common/environments.ts'
import { runStatuses } from '../../../contract/runs/run.ts'
import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { t } from '../../lib/i18n.ts'
import type { FilterField } from '../../ui/filter/filters.ts'

const texts = [
  'provider',
  'model',
  'ref_key',
  'version',
  'app',
  'user',
  'token',
  'source',
  'tag',
  'error_type',
] as const
const missing = ['env', 'ref_key', 'version', 'app', 'token', 'tags'] as const

/** Returns the filters of the page; their suggestions are the names in the table. */
export const statisticsFilters = (stats: RunStats | undefined): readonly FilterField[] => [
  ...texts.map(
    (name): FilterField => ({
      name,
      label: t(`statistics:dimension.${name}`),
      kind: 'text',
      suggestions: [...new Set((stats?.groups ?? []).flatMap((group) => group[name] ?? []))],
    }),
  ),
  {
    name: 'env',
    label: t('statistics:dimension.env'),
    kind: 'choice',
    options: environments.map((env) => ({ value: env, label: env })),
  },
  {
    name: 'status',
    label: t('statistics:dimension.status'),
    kind: 'choice',
    options: runStatuses.map((status) => ({ value: status, label: t(`common:status.${status}`) })),
  },
  {
    name: 'has_no',
    label: t('statistics:without'),
    kind: 'choice',
    options: missing.map((name) => ({
      value: name,
      label: t(`statistics:dimension.${name === 'tags' ? 'tag' : name}`),
    })),
  },
]
