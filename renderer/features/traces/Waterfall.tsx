import { formatDuration, formatNumber } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Money } from '../../shared/runs/Money.tsx'
import { Tokens } from '../../shared/runs/Tokens.tsx'
import { Duration } from '../../ui/display/Duration.tsx'
import { FigureList, type LabelledFigure } from '../../ui/display/figures/FigureList.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { TraceRowItem } from './TraceRowItem.tsx'
import styles from './traces.module.css'
import { runsOf, type Trace, timesOf } from './traceTree.ts'

/** Returns the sum of the known values; null if none is known. */
function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

type Props = {
  readonly trace: Trace
  /** The run whose drawer is open. */
  readonly openId: string | undefined
  /** The number of runs of the trace, of which it may show a part. */
  readonly total: string
  readonly label: string
}

/** The figures of a trace, and its items with their times on one axis. */
export function Waterfall({ trace, openId, total, label }: Props) {
  const { rows, startMs, durationMs } = trace
  const runs = runsOf(trace)
  const errors = rows.filter(({ item }) => timesOf(item).status === 'error').length
  const figures: readonly LabelledFigure[] = [
    [t('traces:field.start'), <Time key="start" at={new Date(startMs).toISOString()} />],
    [t('traces:field.duration'), <Duration key="duration" ms={durationMs} />],
    [t('traces:field.runs'), total],
    [t('traces:field.errors'), formatNumber(errors)],
    [
      t('traces:field.tokens'),
      <Tokens key="tokens" count={sumOfKnown(runs.map(({ total_tokens: count }) => count))} />,
    ],
    [t('traces:field.cost'), <Money key="cost" usd={sumOfKnown(runs.map(({ cost_usd: cost }) => cost))} />],
  ]
  return (
    <>
      <FigureList figures={figures} />
      <div className={styles['waterfall']}>
        <div className={`${styles['row']} ${styles['head']}`}>
          <span>{t('traces:field.name')}</span>
          <span className={styles['axis']}>
            {[0, 0.5, 1].map((part) => (
              <span key={part}>{formatDuration(part * durationMs)}</span>
            ))}
          </span>
          <span className={styles['figures']}>
            <span>{t('traces:field.duration')}</span>
            <span>{t('traces:field.tokens')}</span>
            <span>{t('traces:field.cost')}</span>
            <span>{t('traces:field.status')}</span>
          </span>
        </div>
        <ol className={styles['rows']} aria-label={label}>
          {rows.map((row) => (
            <TraceRowItem key={row.key} row={row} durationMs={durationMs} openId={openId} />
          ))}
        </ol>
      </div>
    </>
  )
}
