import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { Badge } from '../../ui/display/Badge.tsx'
import { ImportRow, type RowSlots, tones } from './ImportRow.tsx'
import styles from './import.module.css'
import type { Imported, Report } from './import.ts'

/** Order of the rows: those that need a decision first. */
const order: readonly Imported['outcome'][] = ['refuse', 'update', 'create', 'skip', 'unchanged']

type Props<I extends Imported> = RowSlots<I> & {
  readonly report: Report<I>
  /** Shown beside the counts. */
  readonly about?: ReactNode
}

/** Table of what the import does to each item, and why. */
export function ImportPreview<I extends Imported>({ report, about, ...slots }: Props<I>) {
  const counts = [
    ['create', report.created],
    ['update', report.updated],
    ['unchanged', report.unchanged],
    ['skip', report.skipped],
    ['refuse', report.refused],
  ] as const
  const items = report.items.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome))
  return (
    <>
      <div className={styles['counts']} role="status">
        {counts
          .filter(([, count]) => count > 0)
          .map(([outcome, count]) => (
            <Badge key={outcome} tone={tones[outcome]}>
              {t(`transfer:import.count_${outcome}`, { count })}
            </Badge>
          ))}
        {about}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard */}
      <section className={styles['preview']} aria-label={t('transfer:import.preview_title')} tabIndex={0}>
        <table className={styles['plain']} aria-label={t('transfer:import.preview_title')}>
          <thead>
            <tr>
              <th scope="col">{t('transfer:import.key')}</th>
              {slots.column && <th scope="col">{slots.column.title}</th>}
              <th scope="col">{t('transfer:import.outcome')}</th>
              <th scope="col">{t('transfer:import.details')}</th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <ImportRow key={`${item.file} ${item.index}`} item={item} {...slots} />
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}
