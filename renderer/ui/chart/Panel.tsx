import { memo } from 'react'
import { t } from '../../lib/i18n.ts'
import styles from './chart.module.css'
import { type Plot, runsOf, topOf, type Value } from './chart.ts'

/** Room above the highest value, so that its line is not cut, in pixels. */
const head = 2
/** An error among thousands of runs is still seen, in pixels. */
const leastBar = 1.5
/** The share of a bucket between two bars. */
const gap = 0.18

/**
 * One panel. Across, the drawing is counted in buckets and stretched to whatever width there is, paper included; down, a
 * unit is a pixel.
 */
export const Panel = memo(function Panel({ plot }: { readonly plot: Plot }) {
  const { title, shape, height, series, before } = plot
  const count = series[0]?.values.length ?? 0
  const top = topOf(plot)
  const y = (value: number): number => height - (value / top) * (height - head)
  return (
    <div className={styles['panel']} style={{ height }}>
      <span className={styles['axisLabel']} style={{ top: 0 }} aria-hidden="true">
        {plot.formatShort(top)}
      </span>
      {height >= 80 && (
        <span className={styles['axisLabel']} style={{ top: height / 2 }} aria-hidden="true">
          {plot.formatShort(top / 2)}
        </span>
      )}
      <svg
        className={styles['drawing'] ?? ''}
        viewBox={`0 0 ${Math.max(1, count)} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t('common:chart.panel', { title, top: plot.formatShort(top) })}
      >
        <path className={styles['grid'] ?? ''} d={`M0 ${head}H${count}M0 ${y(top / 2)}H${count}`} />
        {shape === 'bars'
          ? series.map((one, level) => (
              <path
                key={one.key}
                data-tone={one.tone}
                className={styles['bars'] ?? ''}
                d={barsOf(one.values, series.slice(0, level), y)}
              />
            ))
          : series.map((one) => (
              <path
                key={one.key}
                data-tone={one.tone}
                className={styles['line'] ?? ''}
                d={lineOf(one.values, y)}
              />
            ))}
        {before !== undefined && <path className={styles['ghost'] ?? ''} d={lineOf(before, y)} />}
        <path className={styles['base'] ?? ''} d={`M0 ${height - 0.5}H${count}`} />
      </svg>
    </div>
  )
})

type Y = (value: number) => number
const round = (value: number): string => value.toFixed(2)

function barsOf(values: readonly Value[], below: readonly { values: readonly Value[] }[], y: Y): string {
  return values
    .map((value, index) => {
      if (value === null || value <= 0) return ''
      const base = below.reduce((sum, one) => sum + (one.values[index] ?? 0), 0)
      const low = y(base)
      const high = Math.min(y(base + value), low - leastBar)
      return `M${round(index + gap / 2)} ${round(low)}V${round(high)}h${1 - gap}V${round(low)}z`
    })
    .join('')
}

/** A value alone between gaps is a dot: a stroke without length, with round ends. */
function lineOf(values: readonly Value[], y: Y): string {
  return runsOf(values)
    .map(([first, run]) => {
      const points = run.map((value, index) => `${round(first + index + 0.5)} ${round(y(value))}`)
      return points.length === 1 ? `M${points[0]}h0.001` : `M${points.join('L')}`
    })
    .join('')
}
