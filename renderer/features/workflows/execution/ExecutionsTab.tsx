import { Button } from '@mantine/core'
import { IconListDetails } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Workflow } from '../../../../contract/workflows/workflow.ts'
import { executionStatuses, type WorkflowRun } from '../../../../contract/workflows/workflow-run.ts'
import { t } from '../../../lib/i18n.ts'
import { useOpenPage } from '../../../lib/page/openPage.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { usePaging } from '../../../lib/service/paging.ts'
import { truncated } from '../../../shared/resources/list/cells.tsx'
import { Money } from '../../../shared/runs/Money.tsx'
import { Tokens } from '../../../shared/runs/Tokens.tsx'
import { Duration } from '../../../ui/display/Duration.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import type { FilterField } from '../../../ui/filter/filters.ts'
import type { Column } from '../../../ui/table/columns.ts'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import styles from '../list/workflows.module.css'
import type { WorkflowSearch } from '../list/workflows.search.ts'
import { executionsQuery } from '../workflows.queries.ts'
import { ExecutionBadge } from './ExecutionBadge.tsx'

const executionColumns = (): readonly Column<WorkflowRun>[] => [
  {
    key: 'time',
    title: t('latest_runs:time'),
    width: 120,
    render: (run) => <Time at={run.created_at} />,
  },
  {
    key: 'status',
    title: t('latest_runs:status'),
    width: 120,
    render: (run) => <ExecutionBadge status={run.status} />,
  },
  {
    key: 'error',
    title: t('workflows:field.outcome'),
    render: (run) => (
      <span className={`${truncated} ${styles['outcome']}`}>
        {run.failed_step !== null && <b className="mono">{run.failed_step} </b>}
        {run.error ?? (run.resumed_from === null ? '' : t('workflows:field.resumed'))}
      </span>
    ),
  },
  {
    key: 'steps',
    title: t('workflows:field.steps'),
    align: 'right',
    width: 80,
    minFrameWidth: 740,
    render: (run) => <span className="tabular">{`${run.steps_done}/${run.step_count}`}</span>,
  },
  {
    key: 'tokens',
    title: t('latest_runs:tokens'),
    align: 'right',
    width: 90,
    minFrameWidth: 570,
    render: (run) => <Tokens count={run.total_tokens} isEstimate={run.tokens_estimated} />,
  },
  {
    key: 'cost',
    title: t('latest_runs:cost'),
    align: 'right',
    width: 90,
    minFrameWidth: 660,
    render: (run) => <Money usd={run.cost_usd} />,
  },
  {
    key: 'latency',
    title: t('latest_runs:latency'),
    align: 'right',
    width: 90,
    minFrameWidth: 480,
    render: (run) => <Duration ms={run.latency_ms} />,
  },
  {
    key: 'version',
    title: t('definition:field.version'),
    width: 76,
    minFrameWidth: 816,
    render: (run) => <span className="mono">{run.version}</span>,
  },
  {
    key: 'user',
    title: t('latest_runs:user'),
    width: 110,
    minFrameWidth: 926,
    render: (run) => <bdi className={truncated}>{run.user}</bdi>,
  },
]
const filters: readonly FilterField[] = [
  {
    name: 'status',
    label: t('latest_runs:status'),
    kind: 'choice',
    options: executionStatuses.map((status) => ({ value: status, label: t(`workflows:status.${status}`) })),
  },
]
const idOf = (run: WorkflowRun): string => run.id

type Props = {
  readonly workflow: Workflow
  readonly search: WorkflowSearch
  readonly setSearch: SetSearch<WorkflowSearch>
}

/** The executions of a workflow, newest first; a row opens the trace. */
export function ExecutionsTab({ workflow, search, setSearch }: Props) {
  const openPage = useOpenPage()
  const query = useQuery(executionsQuery(workflow.id, search))
  const paging = usePaging(search.cursor, query.data)
  const columns = useMemo(executionColumns, [])
  const isFiltered = search.status !== undefined
  return (
    <div className={styles['executions']}>
      <FilterBar fields={filters} values={search} onChange={setSearch} />
      <DataTable
        name="executions"
        label={t('workflows:tab.executions')}
        query={query}
        columns={columns}
        idOf={idOf}
        paging={paging}
        onOpen={({ id }, isNewTab) => openPage({ to: '/workflow-runs/$id', params: { id } }, isNewTab)}
        empty={
          <EmptyState
            icon={<IconListDetails size={28} stroke={1.5} />}
            title={t(isFiltered ? 'workflows:execution.none_filtered' : 'workflows:run.none')}
            text={isFiltered ? undefined : t('workflows:run.none_text')}
            action={
              <Button
                variant="default"
                onClick={() => setSearch(isFiltered ? { status: undefined } : { tab: 'run' })}
              >
                {t(isFiltered ? 'common:filter.clear' : 'workflows:run.go')}
              </Button>
            }
          />
        }
      />
    </div>
  )
}
