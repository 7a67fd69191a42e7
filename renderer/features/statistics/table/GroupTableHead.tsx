import { t } from '../../../lib/i18n.ts'
import { SortTitle } from '../../../ui/table/SortTitle.tsx'
import { type Figure, figures, isDuration, isTtft } from '../figures.ts'
import type { NameColumn } from '../groupNames.ts'
import styles from '../statistics.module.css'
import type { Metric } from '../statistics.search.ts'

type Props = {
  readonly names: readonly NameColumn[]
  readonly metric: Metric
  readonly sort: string
  readonly onSort: (sort: string) => void
}

const single = figures.filter((figure) => !isDuration(figure))
const latencies = figures.filter((figure) => isDuration(figure) && !isTtft(figure))
const ttfts = figures.filter(isTtft)

/** The two rows of titles. Durations share the title of their group. */
export function GroupTableHead({ names, metric, sort, onSort }: Props) {
  const title = (figure: Figure, shortTitle?: string) => (
    <SortTitle
      title={t(`statistics:figure.${figure}`)}
      shortTitle={shortTitle}
      sortKey={figure}
      sort={sort}
      isHighestFirst
      onSort={onSort}
    />
  )
  return (
    <thead>
      <tr>
        {names.map((name) => (
          <th key={name} scope="col" rowSpan={2}>
            {t(`statistics:dimension.${name}`)}
          </th>
        ))}
        <th scope="col" rowSpan={2} data-number>
          {t('statistics:share')}
        </th>
        {single.map((figure) => (
          <th key={figure} scope="col" rowSpan={2} data-number>
            {title(figure)}
          </th>
        ))}
        <th scope="colgroup" colSpan={latencies.length} className={styles['span']}>
          {t('statistics:latency')}
        </th>
        <th scope="colgroup" colSpan={ttfts.length} className={styles['span']}>
          {t('statistics:ttft')}
        </th>
        <th scope="col" rowSpan={2} data-number>
          {t('statistics:change', { figure: t(`statistics:figure.${metric}`) })}
        </th>
      </tr>
      <tr>
        {[...latencies, ...ttfts].map((figure) => (
          <th key={figure} scope="col" data-number>
            {title(figure, t(`statistics:part.${partOf(figure)}`))}
          </th>
        ))}
      </tr>
    </thead>
  )
}

/** Returns the statistic of a duration. */
const partOf = (figure: Figure) =>
  figure.startsWith('avg')
    ? 'avg'
    : figure.startsWith('p50')
      ? 'p50'
      : figure.startsWith('p95')
        ? 'p95'
        : 'p99'
