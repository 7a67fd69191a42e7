import { VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatDuration } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Money } from '../../shared/runs/Money.tsx'
import { StatusBadge } from '../../shared/runs/StatusBadge.tsx'
import { Tokens } from '../../shared/runs/Tokens.tsx'
import { Duration } from '../../ui/display/Duration.tsx'
import styles from './traces.module.css'
import type { TraceRow } from './traceTree.ts'

type Props = { readonly row: TraceRow; readonly durationMs: number }

/** Maximum indentation, so that deep calls keep a readable name. */
const maxIndent = 12

/** One call of a trace: its name, its time on the axis of the trace, and its figures. */
export function TraceRowItem({ row: { run, depth, offsetMs }, durationMs }: Props) {
  const scale = durationMs === 0 ? 0 : 100 / durationMs
  const style = {
    marginInlineStart: `${offsetMs * scale}%`,
    inlineSize: `max(3px, ${run.latency_ms * scale}%)`,
  }
  const time = t('traces:time', {
    offset: formatDuration(offsetMs),
    duration: formatDuration(run.latency_ms),
  })
  return (
    <li className={styles['row']}>
      <span className={styles['name']} style={{ paddingInlineStart: `${Math.min(depth, maxIndent) * 16}px` }}>
        {depth > 0 && <VisuallyHidden>{t('traces:level', { level: depth + 1 })}, </VisuallyHidden>}
        <Link to="/runs/{-$id}" params={{ id: String(run.id) }} search={{ period: 'all' }}>
          <bdi className="mono truncate">{run.ref_key ?? run.model}</bdi>
        </Link>
        {run.ref_key !== null && <bdi className="mono dimmed truncate">{run.model}</bdi>}
      </span>
      <span className={styles['track']} title={time} role="img" aria-label={time}>
        <span className={styles['bar']} data-status={run.status} style={style} />
      </span>
      <span className={styles['figures']}>
        <Duration ms={run.latency_ms} />
        <Tokens count={run.total_tokens} isEstimate={run.tokens_estimated} />
        <Money usd={run.cost_usd} />
        <StatusBadge status={run.status} />
      </span>
    </li>
  )
}
