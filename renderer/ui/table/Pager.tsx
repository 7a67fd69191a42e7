import { Button } from '@mantine/core'
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react'
import { formatNumber, formatTotal } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import type { Paging } from '../../lib/service/paging.ts'
import { Badge } from '../display/Badge.tsx'
import styles from './DataTable.module.css'

type Props = {
  readonly paging: Paging
  /** Number of the first row on the page; null if unknown. */
  readonly from: number | null
  /** Number of rows on this page; null while loading. */
  readonly shown: number | null
  readonly total: number | undefined
  readonly isCapped: boolean
  /** True if the last refetch failed, so the rows may be outdated. */
  readonly isStale: boolean
  /** True for newest first: the buttons are Newer and Older, otherwise Previous and Next. */
  readonly isByTime: boolean
  readonly label: string
}

export function Pager({ paging, from, shown, total, isCapped, isStale, isByTime, label }: Props) {
  const of = total === undefined ? undefined : formatTotal(total, isCapped)
  const range =
    shown === null || shown === 0 || of === undefined
      ? ''
      : from === null
        ? t('common:table.some', { shown: formatNumber(shown), total: of })
        : t('common:table.range', {
            from: formatNumber(from),
            to: formatNumber(from + shown - 1),
            total: of,
          })
  const hasPages = paging.newer !== null || paging.older !== null
  return (
    <nav className={styles['pager']} aria-label={label}>
      <span className="tabular" data-testid="range">
        {range}
      </span>
      {isStale && <Badge tone="warn">{t('common:table.stale')}</Badge>}
      {hasPages && (
        <span className={styles['steps']}>
          <Button
            variant="default"
            size="compact-sm"
            fz="xs"
            disabled={paging.newer === null}
            onClick={() => paging.newer?.()}
            leftSection={<IconChevronLeft size={14} />}
          >
            {isByTime ? t('common:table.newer') : t('common:table.previous')}
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            fz="xs"
            disabled={paging.older === null}
            onClick={() => paging.older?.()}
            rightSection={<IconChevronRight size={14} />}
          >
            {isByTime ? t('common:table.older') : t('common:table.next')}
          </Button>
        </span>
      )}
    </nav>
  )
}
