import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { WorkflowRun } from '../../../../contract/workflows/workflow-run.ts'
import { formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { Figures } from '../../../shared/definitions/page/Figures.tsx'
import { Money } from '../../../shared/runs/Money.tsx'
import { Tokens } from '../../../shared/runs/Tokens.tsx'
import { Duration } from '../../../ui/display/Duration.tsx'
import styles from './execution.module.css'

/** The latency, tokens and cost of an execution over all its model calls, with a link to their runs. */
export function ExecutionFigures({ run }: { readonly run: WorkflowRun }) {
  const figures: readonly (readonly [label: string, value: ReactNode])[] = [
    [t('workflows:figure.latency'), <Duration key="latency" ms={run.latency_ms} />],
    [
      t('workflows:figure.steps'),
      <span key="steps" className="tabular">
        {t('workflows:figure.steps_of', {
          done: formatNumber(run.steps_done),
          total: formatNumber(run.step_count),
        })}
      </span>,
    ],
    [
      t('workflows:figure.calls'),
      run.run_count === 0 ? (
        '0'
      ) : (
        <Link
          key="calls"
          to="/runs/{-$id}"
          params={{ id: undefined }}
          search={{ parent_id: [run.id], period: 'all' as const, sort: 'created_at' }}
          className={styles['link'] ?? ''}
        >
          {formatNumber(run.run_count)}
        </Link>
      ),
    ],
    [
      t('workflows:figure.tokens'),
      <Tokens key="tokens" count={run.total_tokens} isEstimate={run.tokens_estimated} />,
    ],
    [t('workflows:figure.cost'), <Money key="cost" usd={run.cost_usd} />],
    [
      t('definition:field.version'),
      <span key="version" className="mono">
        {run.version}
      </span>,
    ],
  ]
  return <Figures figures={figures} isWide />
}
