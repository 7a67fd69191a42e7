import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import styles from './execution.module.css'
import { TraceResult } from './TraceResult.tsx'
import { TraceStepHead } from './TraceStepHead.tsx'
import type { TraceRow } from './trace.ts'

type Props = { readonly row: TraceRow; readonly startedAt: number; readonly span: number }

/** One step of a trace: status and duration; expanded, its input and output. */
export function TraceStep({ row, startedAt, span }: Props) {
  const [opened, setOpened] = useState<boolean | null>(null)
  const { result } = row
  const hasMore = result !== null || row.text !== ''
  // Failed and running steps are expanded unless the user collapses them.
  const isOpen = hasMore && (opened ?? (row.status === 'error' || row.status === 'running'))
  return (
    <li
      className={styles['step']}
      data-status={row.status}
      data-step={row.name}
      style={{ paddingLeft: row.depth * 18 }}
    >
      <button
        type="button"
        className={styles['stepHead']}
        aria-expanded={isOpen}
        disabled={!hasMore}
        onClick={() => setOpened(!isOpen)}
      >
        <TraceStepHead row={row} isOpen={isOpen} startedAt={startedAt} span={span} />
      </button>
      {isOpen && (
        <div className={styles['stepBody']}>
          {result === null ? (
            <CodeBlock text={row.text} label={t('workflows:trace.output_of', { name: row.name })} />
          ) : (
            <TraceResult result={result} />
          )}
        </div>
      )}
    </li>
  )
}
