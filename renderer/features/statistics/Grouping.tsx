import { NativeSelect } from '@mantine/core'
import { statDimensions } from '../../../contract/runs/run-stats.ts'
import { t } from '../../lib/i18n.ts'
import type { SetSearch } from '../../lib/page/search.ts'
import styles from './statistics.module.css'
import {
  defaultDimension,
  defaultMetric,
  type Metric,
  metrics,
  type StatisticsSearch,
} from './statistics.search.ts'

type Dimension = (typeof statDimensions)[number]
type Props = { readonly search: StatisticsSearch; readonly setSearch: SetSearch<StatisticsSearch> }

const dimensions = statDimensions.map((value) => ({ value, label: t(`statistics:dimension.${value}`) }))

/** Selects the one or two dimensions of the table, and the figure of the chart. */
export function Grouping({ search, setSearch }: Props) {
  const { by = defaultDimension, and, metric = defaultMetric } = search
  return (
    <div className={styles['grouping']}>
      <NativeSelect
        size="xs"
        label={t('statistics:by')}
        value={by}
        data={dimensions}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value as Dimension
          setSearch({ by: next, and: and === next ? undefined : and })
        }}
      />
      <NativeSelect
        size="xs"
        label={t('statistics:and')}
        value={and ?? ''}
        data={[
          { value: '', label: t('statistics:and_none') },
          ...dimensions.filter(({ value }) => value !== by),
        ]}
        onChange={({ currentTarget }) =>
          setSearch({ and: currentTarget.value === '' ? undefined : (currentTarget.value as Dimension) })
        }
      />
      <NativeSelect
        size="xs"
        label={t('statistics:metric')}
        value={metric}
        data={metrics.map((value) => ({ value, label: t(`statistics:figure.${value}`) }))}
        onChange={({ currentTarget }) =>
          setSearch({ metric: currentTarget.value as Metric, sort: undefined })
        }
      />
    </div>
  )
}
