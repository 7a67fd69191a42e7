import type { ReactNode } from 'react'
import type { Bucket } from '../../lib/format/buckets.ts'
import { t } from '../../lib/i18n.ts'
import type { Plot } from './chart.ts'
import styles from './TimeTable.module.css'

type Props = {
  readonly label: string
  readonly buckets: readonly Bucket[]
  readonly plots: readonly Plot[]
  /** Returns the bucket's time as a link to its rows. */
  readonly rowLink: (bucket: Bucket) => ReactNode
}

/** Table of the charts' values, newest first. */
export function TimeTable({ label, buckets, plots, rowLink }: Props) {
  return (
    <section className={styles['tableBox']} aria-label={label}>
      <table className={styles['table']} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('common:chart.time')}</th>
            {plots.map(({ key, title, series, before }) => [
              ...series.map((item) => (
                <th key={`${key} ${item.key}`} scope="col">
                  {series.length === 1 ? title : t('common:chart.of', { title, label: item.label })}
                </th>
              )),
              before !== undefined && (
                <th key={`${key} before`} scope="col">
                  {t('common:chart.before_of', { title })}
                </th>
              ),
            ])}
          </tr>
        </thead>
        <tbody>
          {buckets
            .map((bucket, index) => (
              <tr key={bucket.start}>
                <th scope="row">{rowLink(bucket)}</th>
                {plots.map(({ key, series, before, format }) => [
                  ...series.map((item) => (
                    <td key={`${key} ${item.key}`}>{format(item.values[index] ?? null)}</td>
                  )),
                  before !== undefined && <td key={`${key} before`}>{format(before[index] ?? null)}</td>,
                ])}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </section>
  )
}
