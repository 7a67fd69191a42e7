import type { WorkflowRun } from '../../../../contract/workflows/workflow-run.ts'
import { useNow } from '../../../lib/format/now.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './execution.module.css'
import { TraceStep } from './TraceStep.tsx'
import type { TraceRow } from './trace.ts'

type Props = {
  readonly rows: readonly TraceRow[]
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly run: WorkflowRun | null
  readonly isRunning: boolean
}

/** The trace of an execution: each step on a time axis, expandable to its input and output. */
export function Trace({ rows, startedAt, run, isRunning }: Props) {
  const now = useNow()
  const ends = rows.flatMap(({ startedAt: at, result }) =>
    at === null ? [] : [at + (result?.latency_ms ?? 0) - startedAt],
  )
  const elapsed = isRunning ? now - startedAt : (run?.latency_ms ?? 0)
  const span = Math.max(1, elapsed, ...ends)
  return (
    <div>
      <h2 className={styles['subtitle']}>{t('workflows:trace.title')}</h2>
      <ol className={styles['trace']} aria-label={t('workflows:trace.title')} aria-busy={isRunning}>
        {rows.map((row) => (
          <TraceStep key={row.name} row={row} startedAt={startedAt} span={span} />
        ))}
      </ol>
    </div>
  )
}
