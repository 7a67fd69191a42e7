import type { RunStats } from '../../../contract/runs/run-stats.ts'
import { zoneName } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'

/** Explains days that are not exactly those of the viewer. */
export function ZoneNote({
  stats: { tz, rounded, interval },
}: {
  readonly stats: Pick<RunStats, 'tz' | 'rounded' | 'interval'>
}) {
  if (rounded) return <span className="dimmed">{t('common:chart.rounded')}</span>
  const isOther = tz !== zoneName() && ['day', 'week', 'month'].includes(interval)
  return isOther ? <span className="dimmed">{t('common:chart.utc')}</span> : null
}
