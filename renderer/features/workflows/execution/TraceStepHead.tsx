import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { type StepType, stepTypes } from '../../../../contract/workflows/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import { Tokens } from '../../../shared/runs/Tokens.tsx'
import { Duration } from '../../../ui/display/Duration.tsx'
import { StepIcon } from '../steps/StepIcon.tsx'
import { ExecutionBadge } from './ExecutionBadge.tsx'
import styles from './execution.module.css'
import type { TraceRow } from './trace.ts'

type Props = {
  readonly row: TraceRow
  readonly isOpen: boolean
  readonly startedAt: number
  readonly span: number
}

const typeOf = (type: string): StepType | undefined => stepTypes.find((name) => name === type)

/** Returns the position and width of a step on the time line; null if it has not started. */
function barOf(row: TraceRow, startedAt: number, span: number): { left: string; width: string } | null {
  if (row.startedAt === null) return null
  const offset = row.startedAt - startedAt
  const left = Math.max(0, offset / span)
  const width = (row.result?.latency_ms ?? span - offset) / span
  return { left: `${left * 100}%`, width: `max(2px, ${Math.min(1 - left, width) * 100}%)` }
}

/** The one-line summary of a step in a trace. */
export function TraceStepHead({ row, isOpen, startedAt, span }: Props) {
  const { result } = row
  const type = typeOf(row.type)
  const attempts = result?.attempts ?? row.attempt
  const bar = barOf(row, startedAt, span)
  return (
    <>
      {isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
      <ExecutionBadge status={row.status} />
      {type !== undefined && <StepIcon type={type} />}
      <span className={`mono ${styles['name']}`}>{row.name}</span>
      <span className={`dimmed ${styles['kind']}`}>
        {type === undefined ? row.type : t(`workflows:type.${type}`)}
        {result?.model != null && ` · ${result.model}`}
        {result?.taken_over === true && ` · ${t('workflows:trace.reused')}`}
        {attempts > 1 && ` · ${t('workflows:trace.attempts', { count: attempts })}`}
      </span>
      <span className={styles['time']} aria-hidden="true">
        {bar !== null && <span className={styles['span']} style={bar} />}
      </span>
      <span className={styles['duration']}>
        {result?.tokens != null && <Tokens count={result.tokens} isEstimate={result.tokens_estimated} />}
      </span>
      <span className={styles['duration']}>
        <Duration ms={result?.latency_ms ?? null} />
      </span>
    </>
  )
}
