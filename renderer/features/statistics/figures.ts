import { type StatFigures, type StatSortField, statSortFields } from '../../../contract/runs/run-stats.ts'
import { formatDuration, formatMoney, formatNumber, formatPercent } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { formatPercentile, percentileHint } from '../../shared/runs/percentiles.ts'

/** A column of the table. The table can be sorted by each. */
export type Figure = StatSortField
export const figures: readonly Figure[] = statSortFields

export const isPercentile = (figure: Figure): boolean => figure.startsWith('p')
export const isDuration = (figure: Figure): boolean => figure.endsWith('_ms')
export const isTtft = (figure: Figure): boolean => figure.endsWith('ttft_ms')
/** True if the figures of groups add up to that of the whole, so that groups can be stacked. */
export const isSum = (figure: Figure): boolean =>
  figure === 'count' || figure === 'error' || figure === 'total_tokens' || figure === 'cost_usd'

export function formatFigure(figure: Figure, value: number | null | undefined): string {
  if (figure === 'cost_usd') return formatMoney(value)
  if (figure === 'error_rate') return formatPercent(value)
  return isDuration(figure) ? formatDuration(value) : formatNumber(value)
}

/** Returns the text of a figure, with `≈` for a percentile that is not exact, and its error as a hint. */
export function figureText(
  figure: Figure,
  of: StatFigures,
): { readonly text: string; readonly hint?: string } {
  const value = of[figure]
  const text = formatFigure(figure, value)
  if (figure === 'cost_usd' && of.cost_unknown > 0)
    return {
      text,
      hint: t('statistics:unpriced', { count: of.cost_unknown, shown: formatNumber(of.cost_unknown) }),
    }
  const hint = percentileHint(of.exact)
  if (value === null || hint === undefined || !isPercentile(figure)) return { text }
  return { text: formatPercentile(value, of.exact), hint }
}

/** Returns the relative change of a figure; null if one of the periods has no value to compare with. */
export function changeOf(
  figure: Figure,
  now: StatFigures,
  before: StatFigures | null | undefined,
): number | null {
  const [current, previous] = [now[figure], before?.[figure]]
  if (current === null || previous === null || previous === undefined || previous === 0) return null
  return current / previous - 1
}
