import { formatNumber, formatPercent } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'

export type Change = {
  readonly direction: 'up' | 'down' | 'same'
  /** The size of the change, such as "12%" or "3×"; empty if there is none. */
  readonly text: string
}

/** Smaller changes count as none: a ratio (0.5%) and percentage points. */
const minRatio = 0.005
const minPoints = 0.1
/** From this factor on, the change is displayed as a factor instead of a percentage. */
const factorThreshold = 3

/** Returns the relative change; null if a value is missing or the earlier value is 0. */
export function changeOf(now: number | null, before: number | null): Change | null {
  if (now === null || before === null || before === 0) return null
  const ratio = now / before - 1
  if (Math.abs(ratio) < minRatio) return { direction: 'same', text: '' }
  const text =
    ratio >= factorThreshold - 1
      ? t('overview:change.factor', { factor: formatNumber(Math.round(ratio + 1)) })
      : formatPercent(Math.abs(ratio))
  return { direction: ratio > 0 ? 'up' : 'down', text }
}

/**
 * Returns the change of a share (0 to 1) in percentage points: from 1% to 3% is 2 points. Null if a value
 * is missing.
 */
export function pointsOf(now: number | null, before: number | null): Change | null {
  if (now === null || before === null) return null
  const points = (now - before) * 100
  if (Math.abs(points) < minPoints) return { direction: 'same', text: '' }
  return {
    direction: points > 0 ? 'up' : 'down',
    text: t('overview:change.points', { points: Math.abs(points).toFixed(1) }),
  }
}
