import { Button } from '@mantine/core'
import { IconPlayerStop, IconRotateClockwise } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { Workflow } from '../../../../contract/workflows/workflow.ts'
import type { WorkflowRun } from '../../../../contract/workflows/workflow-run.ts'
import { t } from '../../../lib/i18n.ts'
import { asApiError, client, invalidateEntities } from '../../../lib/service/api.ts'
import { type DisabledReason, useDisabledReason, useMe } from '../../../lib/session/me.ts'
import { useStore } from '../../../lib/state/store.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import styles from './execution.module.css'
import { execute, liveOf } from './workflow.runner.ts'

type Props = {
  readonly run: WorkflowRun
  readonly isRunning: boolean
  /** The current workflow; its steps are displayed as waiting until the service reports otherwise. */
  readonly workflow: Pick<Workflow, 'id' | 'steps'>
  readonly runDisabledReason: DisabledReason
}

/**
 * Buttons to cancel a running execution, or to resume one that did not succeed; disabled with a reason if not
 * possible.
 */
export function ExecutionActions({ run, isRunning, workflow, runDisabledReason }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isOnItsPage = useRouterState({
    select: (state) => state.location.pathname.startsWith('/workflow-runs/'),
  })
  const me = useMe()
  const disabledReasonOf = useDisabledReason()
  const live = useStore(liveOf(workflow.id))
  const cancelling = useMutation({
    mutationFn: () => client.workflowRuns.cancel({ params: { id: run.id } }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['workflow'] }),
  })
  if (isRunning) {
    const mayCancel =
      run.user === me.username || disabledReasonOf('resources.write', run.workspace_id) === null
    const disabledReason = mayCancel ? runDisabledReason : t('workflows:cancel.not_own', { user: run.user })
    return (
      <>
        <WhyDisabled reason={disabledReason}>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlayerStop size={14} />}
            loading={cancelling.isPending}
            onClick={() => cancelling.mutate()}
          >
            {t('workflows:cancel.action')}
          </Button>
        </WhyDisabled>
        {cancelling.isError && (
          <span className={styles['bad']} role="alert">
            {asApiError(cancelling.error)?.message ?? t('common:error.unknown')}
          </span>
        )}
      </>
    )
  }
  if (run.status === 'ok') return null
  const disabledReason =
    runDisabledReason ??
    (run.resumable ? null : (run.resume_reason ?? t('workflows:resume.not'))) ??
    (live?.isRunning === true ? t('workflows:run.in_progress') : null)
  const resume = async (): Promise<void> => {
    await execute(workflow, { kind: 'resume', execution: run.id }, (id) => {
      if (isOnItsPage) void navigate({ to: '/workflow-runs/$id', params: { id } })
    })
    await invalidateEntities(queries, 'workflow', 'run')
  }
  return (
    <WhyDisabled reason={disabledReason}>
      <Button
        variant="default"
        size="compact-sm"
        leftSection={<IconRotateClockwise size={14} />}
        onClick={() => void resume()}
      >
        {run.failed_step === null
          ? t('workflows:resume.action')
          : t('workflows:resume.from', { step: run.failed_step })}
      </Button>
    </WhyDisabled>
  )
}
