import '../workflows.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { WorkflowRunDetail } from '../../../../contract/workflows/workflow-run.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { asApiError } from '../../../lib/service/api.ts'
import { useDisabledReason } from '../../../lib/session/me.ts'
import { useStore } from '../../../lib/state/store.ts'
import { definitionQuery } from '../../../shared/definitions/definition.ts'
import head from '../../../shared/resources/page/head.module.css'
import { LoadedPage } from '../../../shared/resources/page/LoadedPage.tsx'
import { WorkspaceCrumb } from '../../../shared/workspaces/WorkspaceCrumb.tsx'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { executionQuery } from '../workflows.queries.ts'
import { ExecutionActions } from './ExecutionActions.tsx'
import { ExecutionBadge } from './ExecutionBadge.tsx'
import { ExecutionFigures } from './ExecutionFigures.tsx'
import styles from './execution.module.css'
import { Outcome } from './Outcome.tsx'
import { Trace } from './Trace.tsx'
import { traceRows } from './trace.ts'
import { liveOf } from './workflow.runner.ts'

const route = getRouteApi('/signed-in/shell/workflow-runs/$id')

/** The page of one execution, with the trace of its steps. */
export function ExecutionPage() {
  const { id } = route.useParams()
  const query = useQuery(executionQuery(id))
  return (
    <LoadedPage query={query} notFound={<ExecutionNotFound id={id} />}>
      {(detail) => <Execution key={id} detail={detail} />}
    </LoadedPage>
  )
}

/** The message that an execution was deleted, with the ways to find its calls. */
const ExecutionNotFound = ({ id }: { readonly id: string }) => (
  <EmptyState
    title={t('workflows:execution.gone')}
    text={t('workflows:execution.gone_text')}
    action={
      <>
        <LinkButton
          variant="default"
          to="/runs/{-$id}"
          params={{ id: undefined }}
          search={{ parent_id: [id], period: 'all' as const }}
        >
          {t('workflows:execution.its_calls')}
        </LinkButton>
        <LinkButton variant="default" to="/workflows">
          {t('workflows:title')}
        </LinkButton>
      </>
    }
  />
)

function Execution({ detail }: { readonly detail: WorkflowRunDetail }) {
  const runDisabledReason = useDisabledReason()('resources.run')
  const workflowQuery = useQuery(definitionQuery.workflow(detail.workflow_id))
  const workflow = workflowQuery.data
  const live = useStore(liveOf(detail.workflow_id))
  // The events received in this tab contain more than the service stores.
  const liveExecution = live?.id === detail.id ? live : null
  const run = liveExecution !== null && !liveExecution.isRunning ? (liveExecution.run ?? detail) : detail
  const isRunning = liveExecution?.isRunning ?? detail.status === 'running'
  // While the workflow loads, show the link. Nearly every workflow still exists, so the breadcrumb does not change.
  const isWorkflowMissing = workflow === undefined && asApiError(workflowQuery.error)?.status === 404
  return (
    <Page>
      <div className={styles['stack']}>
        <nav className={`${head['crumbs']} ${styles['crumbs']}`} aria-label={t('definition:crumbs')}>
          <Link to="/workflows">{t('workflows:title')}</Link>
          <WorkspaceCrumb workspace={detail.workspace_id} list="/workflows" />
          <span aria-hidden="true">›</span>
          {isWorkflowMissing ? (
            <span className="mono">{detail.workflow_key}</span>
          ) : (
            <Link
              to="/workflows/$id"
              params={{ id: detail.workflow_id }}
              search={{ tab: 'executions' as const }}
              className="mono"
            >
              {detail.workflow_key}
            </Link>
          )}
        </nav>
        <PageHeader
          title={t('workflows:execution.title', { key: detail.workflow_key })}
          purpose={
            <span className={styles['bar']} data-testid="execution-status">
              <ExecutionBadge status={isRunning ? 'running' : run.status} />
              <span>
                {tNode('workflows:execution.by', {
                  version: <b className="mono">{detail.version}</b>,
                  user: <bdi>{detail.user}</bdi>,
                  time: <Time at={detail.created_at} />,
                })}
              </span>
              {detail.resumed_from !== null && (
                <span>
                  {tNode('workflows:execution.resumed', {
                    step: <span className="mono">{detail.resumed_step}</span>,
                    from: (
                      <Link
                        to="/workflow-runs/$id"
                        params={{ id: detail.resumed_from }}
                        className={styles['link'] ?? ''}
                      >
                        {t('workflows:execution.earlier')}
                      </Link>
                    ),
                  })}
                </span>
              )}
              <span className="mono dimmed">{detail.id}</span>
              <CopyButton value={detail.id} />
            </span>
          }
          actions={
            <ExecutionActions
              run={run}
              isRunning={isRunning}
              workflow={workflow ?? { id: detail.workflow_id, steps: [] }}
              runDisabledReason={runDisabledReason}
            />
          }
        />
        <ExecutionFigures run={run} />
        {!isRunning && <Outcome run={run} output={liveExecution?.output ?? detail.output} />}
        <Trace
          rows={liveExecution?.rows ?? traceRows(detail.steps)}
          startedAt={Date.parse(detail.created_at)}
          run={run}
          isRunning={isRunning}
        />
        <Inputs detail={detail} />
      </div>
    </Page>
  )
}

/** The variables and input of an execution, if they were captured. */
function Inputs({ detail: { variables, input, capture } }: { readonly detail: WorkflowRunDetail }) {
  const hasVariables = variables !== null && Object.keys(variables).length > 0
  const hasInput = input !== null && input !== ''
  if (!hasVariables && !hasInput) {
    return capture === 'off' ? <p className={styles['note']}>{t('workflows:execution.capture_off')}</p> : null
  }
  return (
    <Section title={t('workflows:execution.inputs')}>
      {hasVariables && (
        <CodeBlock text={JSON.stringify(variables, null, 2)} label={t('model:variables.title')} />
      )}
      {hasInput && <CodeBlock text={input} label={t('workflows:run.input')} />}
    </Section>
  )
}
