import type { Workflow } from '../../../../contract/workflows/workflow.ts'
import { t } from '../../../lib/i18n.ts'
import type { DisabledReason } from '../../../lib/session/me.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { ExecutionActions } from './ExecutionActions.tsx'
import { ExecutionBadge } from './ExecutionBadge.tsx'
import { ExecutionFigures } from './ExecutionFigures.tsx'
import styles from './execution.module.css'
import { Outcome } from './Outcome.tsx'
import { Trace } from './Trace.tsx'
import type { LiveExecution } from './workflow.runner.ts'

type Props = {
  readonly workflow: Pick<Workflow, 'id' | 'steps'>
  readonly live: LiveExecution
  readonly runDisabledReason: DisabledReason
}

/** The live progress of an execution that this page started. */
export function LiveView({ workflow, live, runDisabledReason }: Props) {
  if (live.id === null && live.failure !== null) return <ErrorState error={live.failure} />
  return (
    <Section
      title={t('workflows:execution.one')}
      aside={
        <span className={styles['bar']}>
          <ExecutionBadge status={live.isRunning ? 'running' : (live.run?.status ?? 'interrupted')} />
          {live.run !== null && (
            <ExecutionActions
              run={live.run}
              isRunning={live.isRunning}
              workflow={workflow}
              runDisabledReason={runDisabledReason}
            />
          )}
          {live.id !== null && (
            <LinkButton variant="subtle" size="compact-sm" to="/workflow-runs/$id" params={{ id: live.id }}>
              {t('workflows:execution.open')}
            </LinkButton>
          )}
        </span>
      }
    >
      <div className={styles['stack']} data-testid="execution">
        {live.failure !== null && <ErrorState error={live.failure} />}
        {live.run !== null && !live.isRunning && <ExecutionFigures run={live.run} />}
        {!live.isRunning && live.run !== null && <Outcome run={live.run} output={live.output} />}
        <Trace rows={live.rows} startedAt={live.startedAt} run={live.run} isRunning={live.isRunning} />
      </div>
    </Section>
  )
}
