import { IconAlertTriangle, IconCheck, IconMinus, IconPoint } from '@tabler/icons-react'
import { t } from '../../lib/i18n.ts'
import { asApiError } from '../../lib/service/api.ts'
import { CopyButton } from '../display/link/CopyButton.tsx'
import styles from './BulkList.module.css'
import type { BulkItem, BulkResult } from './useBulk.ts'

type Props = {
  readonly items: readonly BulkItem[]
  readonly results: ReadonlyMap<string, BulkResult>
  /** True once the action has ended, also before all items were processed. */
  readonly isEnded: boolean
}

/** List of the selected rows with the result of each. */
export function BulkList({ items, results, isEnded }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable by keyboard
    <ul className={styles['list']} aria-label={t('common:select.bar')} tabIndex={0}>
      {items.map((item) => (
        <Line key={item.id} item={item} result={results.get(item.id)} isEnded={isEnded} />
      ))}
    </ul>
  )
}

type LineProps = Pick<Props, 'isEnded'> & { readonly item: BulkItem; readonly result: BulkResult | undefined }

function Line({ item, result, isEnded }: LineProps) {
  const failure = result?.status === 'failed' ? asApiError(result.error) : null
  const requestId = failure?.problem?.request_id
  const note =
    item.skip ??
    (result?.status === 'failed'
      ? (failure?.message ?? t('common:error.unknown'))
      : result?.status === 'done'
        ? t('common:bulk.done')
        : isEnded
          ? t('common:bulk.not_started')
          : '')
  const state = item.skip === undefined ? (result?.status ?? 'waiting') : 'skipped'
  const Icon = icons[state]
  return (
    <li className={styles['line']} data-state={state}>
      <Icon size={14} aria-hidden />
      <bdi className={styles['name']}>{item.name}</bdi>
      <span className={styles['note']}>{note}</span>
      {requestId !== undefined && <CopyButton value={requestId} label={t('common:error.copy_request')} />}
    </li>
  )
}

const icons = {
  waiting: IconPoint,
  skipped: IconMinus,
  done: IconCheck,
  failed: IconAlertTriangle,
} as const
