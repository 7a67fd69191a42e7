import { formatNumber, formatPercent } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'

export type Change = {
  readonly direction: 'up' | 'down' | 'same'
  /** "12 %", "3×"; empty when nothing changed. */
  readonly text: string
}

/** Less than this is noise: half a percent, a tenth of a point. */
const leastRatio = 0.005
const leastPoints = 0.1
/** Beyond, a factor reads better than a percentage. */
const manyfold = 3

/** How a figure moved against the one before; null where there was nothing to compare with. */
export function changeOf(now: number | null, before: number | null): Change | null {
  if (now === null || before === null || before === 0) return null
  const ratio = now / before - 1
  if (Math.abs(ratio) < leastRatio) return { direction: 'same', text: '' }
  const text =
    ratio >= manyfold - 1
      ? t('overview:change.factor', { factor: formatNumber(Math.round(ratio + 1)) })
      : formatPercent(Math.abs(ratio))
  return { direction: ratio > 0 ? 'up' : 'down', text }
}

/** A share moves by points: from 1 % to 3 % is two points, not 200 %. */
export function pointsOf(now: number | null, before: number | null): Change | null {
  if (now === null || before === null) return null
  const points = (now - before) * 100
  if (Math.abs(points) < leastPoints) return { direction: 'same', text: '' }
  return {
    direction: points > 0 ? 'up' : 'down',
    text: t('overview:change.points', { points: Math.abs(points).toFixed(1) }),
  }
}
