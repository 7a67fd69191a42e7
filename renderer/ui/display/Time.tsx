import { formatAgo, formatDate, formatDateTime, formatExact, unknown } from '../../lib/format/format.ts'
import { useNow } from '../../lib/format/now.ts'
import { t } from '../../lib/i18n.ts'
import { Hint } from './Hint.tsx'

type Props = {
  /** ISO 8601 or epoch milliseconds; null for never. */
  readonly at: string | number | null
  /** Text for null; a dash by default. */
  readonly never?: string
  /** `ago`: "2 min ago". `span`: "2 min", as in "connected for 2 min". */
  readonly as?: 'ago' | 'span'
}

/** Formats a time relative to now within a week, else as a date. */
export function relativeTime(date: Date, now: number): string {
  const span = formatAgo(date, now)
  if (span === null) return formatDate(date)
  if (date.getTime() > now + 5_000) return t('common:time.in', { span })
  return now - date.getTime() < 10_000 ? t('common:time.now') : t('common:time.ago', { span })
}

/** A time, relative within a week, then as a date. Hover and focus show it exactly in local time and UTC. */
export function Time({ at, never = unknown, as = 'ago' }: Props) {
  const now = useNow()
  if (at === null) return <span className="dimmed">{never}</span>
  const date = new Date(at)
  const exact = formatExact(date)
  const displayed = (as === 'span' && formatAgo(date, now)) || relativeTime(date, now)
  const printed = as === 'ago' ? { 'data-printed': formatDateTime(date) } : {}
  return (
    <Hint label={`${exact.local}\n${exact.utc}`}>
      <time {...printed} dateTime={date.toISOString()} className="tabular" style={{ whiteSpace: 'nowrap' }}>
        {displayed}
      </time>
    </Hint>
  )
}
