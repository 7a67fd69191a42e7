import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useRef, useState } from 'react'
import type { RunStats } from '../../../contract/run-stats.ts'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import { Section } from '../../ui/Section.tsx'
import styles from './bars.module.css'
import { bucketEnd, type Interval, shortLabel, spanLabel } from './buckets.ts'

type Point = RunStats['series'][number]
type Props = {
  readonly series: readonly Point[]
  readonly interval: Interval
  readonly workspace: string | undefined
}

/** Runs over time with the failed ones on top in red. Each bar leads to its runs; ← and → walk the bars. */
export function RunBars({ series, interval, workspace }: Props) {
  const list = useRef<HTMLUListElement>(null)
  const [at, setAt] = useState<number | null>(null)
  // One stop for Tab; the newest bar until another was visited.
  const [stop, setStop] = useState<string | null>(null)
  const last = series.length - 1
  const found = series.findIndex(({ start }) => start === stop)
  const stopAt = found === -1 ? last : found
  const highest = Math.max(1, ...series.map(({ count }) => count))
  const shown = at === null ? undefined : series[at]

  const onKeyDown = (event: KeyboardEvent): void => {
    const target = { ArrowLeft: stopAt - 1, ArrowRight: stopAt + 1, Home: 0, End: last }[event.key]
    if (target === undefined) return
    event.preventDefault()
    list.current?.querySelectorAll('a')[Math.min(last, Math.max(0, target))]?.focus()
  }

  return (
    <Section
      title={t('overview:bars.title')}
      aside={
        <span className={styles['readout']} data-testid="readout">
          {shown === undefined ? (
            <>
              <i className={styles['swatch']} data-kind="ok" /> {t('overview:bars.ok')}{' '}
              <i className={styles['swatch']} data-kind="error" /> {t('overview:bars.error')}
            </>
          ) : (
            describe(shown, interval)
          )}
        </span>
      }
    >
      <div className={styles['plot']}>
        <span className={styles['highest']}>{formatNumber(highest)}</span>
        <ul
          ref={list}
          className={styles['bars']}
          aria-label={t('overview:bars.label')}
          onKeyDown={onKeyDown}
          onPointerLeave={() => setAt(null)}
        >
          {series.map((point, index) => (
            <li key={point.start} className={styles['slot']} onPointerEnter={() => setAt(index)}>
              <Link
                to="/runs/{-$id}"
                params={{ id: undefined }}
                search={{ workspace, from: point.start, to: bucketEnd(point.start, interval) }}
                preload={false}
                className={styles['column'] ?? ''}
                tabIndex={index === stopAt ? 0 : -1}
                aria-label={describe(point, interval)}
                onFocus={() => {
                  setAt(index)
                  setStop(point.start)
                }}
                onBlur={() => setAt(null)}
              >
                <span
                  className={styles['errors']}
                  style={{ height: `${(100 * point.error) / highest}%` }}
                  data-some={point.error > 0 || undefined}
                />
                <span
                  className={styles['oks']}
                  style={{ height: `${(100 * point.ok) / highest}%` }}
                  data-some={point.ok > 0 || undefined}
                />
              </Link>
            </li>
          ))}
        </ul>
      </div>
      <div className={styles['axis']} aria-hidden="true">
        {[0, Math.floor(last / 2), last].map((index) => (
          <span key={index}>{shortLabel(series[index]?.start ?? '', interval)}</span>
        ))}
      </div>
    </Section>
  )
}

const describe = (point: Point, interval: Interval): string =>
  t('overview:bars.point', {
    span: spanLabel(point.start, interval),
    runs: t('overview:bars.runs', { count: point.count, shown: formatNumber(point.count) }),
    errors: t('overview:bars.errors', { count: point.error, shown: formatNumber(point.error) }),
    p95: formatDuration(point.p95_latency_ms),
  })
