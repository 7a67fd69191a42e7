import { memo } from 'react'
import { unknown } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { barHeight, type Plot, segmentsOf, topOf, topPadding, type Value } from './chart.ts'
import styles from './Panel.module.css'

/** Gap between two bars, as a share of a bucket. */
const gap = 0.18

/**
 * One panel of a chart. Horizontally one unit is a bucket, stretched to the available width (also in print).
 * Vertically one unit is a pixel.
 */
export const Panel = memo(function Panel({ plot }: { readonly plot: Plot }) {
  const { title, shape, height, series, before } = plot
  const count = series[0]?.values.length ?? 0
  const end = topOf(plot)
  const top = end ?? 1
  const y = (value: number): number => height - (value / top) * (height - topPadding)
  return (
    <div className={styles['panel']} style={{ height }} data-plot={plot.key}>
      {end !== null && (
        <span className={styles['axisLabel']} style={{ top: 0 }} aria-hidden="true">
          {plot.formatShort(top)}
        </span>
      )}
      {end !== null && height >= 80 && (
        <span className={styles['axisLabel']} style={{ top: height / 2 }} aria-hidden="true">
          {plot.formatShort(top / 2)}
        </span>
      )}
      <svg
        className={styles['drawing'] ?? ''}
        viewBox={`0 0 ${Math.max(1, count)} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('common:chart.panel', { title, top: end === null ? unknown : plot.formatShort(end) })}
      >
        <path className={styles['grid'] ?? ''} d={`M0 ${topPadding}H${count}M0 ${y(top / 2)}H${count}`} />
        {shape === 'bars'
          ? series.map((item, level) => (
              <path
                key={item.key}
                data-tone={item.tone}
                className={styles['bars'] ?? ''}
                d={barsOf(item.values, series.slice(0, level), plot)}
              />
            ))
          : series.map((item) => (
              <g key={item.key} data-tone={item.tone}>
                <path className={styles['line'] ?? ''} d={lineOf(item.values, y)} />
                <path className={styles['dot'] ?? ''} d={dotsOf(item.values, y)} />
                <path className={styles['cap'] ?? ''} d={capsOf(item.values, top)} />
              </g>
            ))}
        {before !== undefined && <path className={styles['previous'] ?? ''} d={lineOf(before, y)} />}
        <path className={styles['base'] ?? ''} d={`M0 ${height - 0.5}H${count}`} />
      </svg>
    </div>
  )
})

type Y = (value: number) => number
const round = (value: number): string => value.toFixed(2)

function barsOf(
  values: readonly Value[],
  below: readonly { values: readonly Value[] }[],
  plot: Plot,
): string {
  const foot = plot.height
  const top = topOf(plot) ?? 1
  const heightOf = (value: Value | undefined): number => barHeight(plot, top, value)
  return values
    .map((value, index) => {
      const height = heightOf(value)
      if (height === 0) return ''
      const low = below.reduce((at, item) => at - heightOf(item.values[index]), foot)
      return `M${round(index + gap / 2)} ${round(low)}v${round(-height)}h${1 - gap}v${round(height)}z`
    })
    .join('')
}

/** Returns the path of each part without gaps. `dotsOf` draws a single value between gaps. */
function lineOf(values: readonly Value[], y: Y): string {
  return segmentsOf(values)
    .filter(([, segment]) => segment.length > 1)
    .map(
      ([first, segment]) =>
        `M${segment.map((value, index) => `${round(first + index + 0.5)} ${round(y(value))}`).join('L')}`,
    )
    .join('')
}

/**
 * Returns strokes of nearly no length. With round caps they are dots, however far the drawing is stretched.
 */
function dotsOf(values: readonly Value[], y: Y): string {
  return segmentsOf(values)
    .map(([first, [value = 0, ...others]]) =>
      others.length > 0 ? '' : `M${round(first + 0.5)} ${round(y(value))}h0.001`,
    )
    .join('')
}

/** Returns short bars at the top edge where a line leaves the panel. The crosshair shows the value. */
function capsOf(values: readonly Value[], top: number): string {
  return values
    .map((value, index) => (value === null || value <= top ? '' : `M${round(index + 0.15)} 1h0.7`))
    .join('')
}
