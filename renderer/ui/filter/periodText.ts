import { formatDateTime } from '../../lib/format/format.ts'
import { isCustom, type PeriodName, type PeriodSearch, rangeOf } from '../../lib/format/period.ts'
import { t } from '../../lib/i18n.ts'

const format = (iso: string): string => formatDateTime(new Date(iso))

/** Returns the name of a period, or the times of a custom one. */
export function periodText(value: PeriodSearch, fallback: PeriodName): string {
  const { from, to } = value
  if (from !== undefined && to !== undefined) return `${format(from)} – ${format(to)}`
  if (from !== undefined) return t('common:period.since', { from: format(from) })
  if (to !== undefined) return t('common:period.until', { to: format(to) })
  return t(`common:period.${value.period ?? fallback}`)
}

/** Returns a period for print: with its times, because "last 24 hours" has no meaning later. */
export function printedPeriod(value: PeriodSearch, fallback: PeriodName, now: number): string {
  const text = periodText(value, fallback)
  const { from, to = new Date(now).toISOString() } = rangeOf(value, fallback, now)
  return isCustom(value) || from === undefined ? text : `${text} (${format(from)} – ${format(to)})`
}
