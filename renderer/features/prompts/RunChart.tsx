import { Tooltip, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Prompt } from '../../../contract/prompt.ts'
import type { PromptVersion } from '../../../contract/prompt-versions.ts'
import type { RunStats } from '../../../contract/run-stats.ts'
import { formatClock, formatDate, formatNumber } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import styles from './chart.module.css'
import { placeBars, placeMarks, type RunSpan } from './runChart.ts'

type Props = {
  readonly prompt: Prompt
  readonly stats: RunStats & { readonly span: RunSpan }
  readonly versions: readonly PromptVersion[]
}

/** Runs and errors over time, with a mark where another version came into service; a mark opens its diff. */
export function RunChart({ prompt, stats, versions }: Props) {
  const bars = placeBars(stats.series, stats.span, stats.interval)
  const marks = placeMarks(versions, stats.span)
  const highest = Math.max(1, ...bars.map(({ count }) => count))
  const { from, to } = stats.span
  const isDay = to - from <= 86_400_000
  const said = (at: number): string => (isDay ? formatClock(new Date(at)) : formatDate(new Date(at)))
  return (
    <figure className={styles['chart']}>
      <ul className={styles['marks']} aria-label={t('prompt:runs.marks')}>
        {marks.map(({ at, version, previous, others }) => {
          const isBack = version.kind === 'rollback'
          const said = t(isBack ? 'prompt:runs.mark_back' : 'prompt:runs.mark', {
            user: version.created_by,
          })
          const label = others === 0 ? said : `${said}, ${t('prompt:runs.mark_more', { count: others })}`
          return (
            <li
              key={version.version}
              style={{ left: `${100 * at}%`, transform: `translateX(${-100 * at}%)` }}
            >
              <Tooltip
                label={`${version.version} ${label}${version.message === '' ? '' : `: ${version.message}`}`}
              >
                <Link
                  to="/prompts/$id"
                  params={{ id: prompt.id }}
                  search={{ tab: 'versions', from: previous ?? version.version, to: version.version }}
                  className={styles['mark'] ?? ''}
                >
                  <span aria-hidden="true">{isBack ? '▼ ' : '▲ '}</span>
                  <span className="mono">{version.version}</span>
                  {others > 0 && <span aria-hidden="true">{` +${others}`}</span>}
                  <VisuallyHidden>{` ${label}`}</VisuallyHidden>
                </Link>
              </Tooltip>
            </li>
          )
        })}
      </ul>
      <div
        className={styles['bars']}
        role="img"
        aria-label={t('prompt:runs.chart', {
          total: formatNumber(stats.total),
          errors: formatNumber(stats.error),
        })}
      >
        {marks.map(({ at, version }) => (
          <span key={version.version} className={styles['rule']} style={{ left: `${100 * at}%` }} />
        ))}
        {bars.map(({ start, count, error }) => (
          <span
            key={start}
            className={styles['bar']}
            title={`${said(start)} · ${t('prompt:impact.runs_count', { count, shown: formatNumber(count) })} · ${t('prompt:impact.errors', { count: error })}`}
          >
            <span className={styles['ok']} style={{ height: `${(100 * (count - error)) / highest}%` }} />
            <span className={styles['error']} style={{ height: `${(100 * error) / highest}%` }} />
          </span>
        ))}
      </div>
      <figcaption className={styles['axis']}>
        <span>{said(from)}</span>
        <span>{t('prompt:runs.highest', { count: formatNumber(highest) })}</span>
        <span>{said(to)}</span>
      </figcaption>
    </figure>
  )
}
