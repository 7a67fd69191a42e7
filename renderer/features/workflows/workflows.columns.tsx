import { Link } from '@tanstack/react-router'
import type { WorkflowRow } from '../../../contract/workflow.ts'
import { formatNumber, unknown } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import type { Column } from '../../ui/columns.ts'
import { DefinitionMenu } from '../../ui/definition/DefinitionMenu.tsx'
import type { DefinitionActions } from '../../ui/definition/useDefinitionActions.tsx'
import { Time } from '../../ui/Time.tsx'
import { ExecutionBadge } from './ExecutionBadge.tsx'
import styles from './workflows.module.css'

const cut = `truncate ${styles['cut']}`

const LastRun = ({ row: { last_run: run } }: { readonly row: WorkflowRow }) =>
  run === null ? (
    <span className="dimmed">{unknown}</span>
  ) : (
    <Link to="/workflow-runs/$id" params={{ id: run.id }} className={styles['last'] ?? ''}>
      <ExecutionBadge status={run.status} />
      <span className="dimmed">
        <Time at={run.created_at} />
      </span>
    </Link>
  )

export const workflowColumns = (actions: DefinitionActions): readonly Column<WorkflowRow>[] => [
  {
    key: 'key',
    title: t('definition:field.key'),
    sortKey: 'key',
    isFixed: true,
    render: (row) => <span className={`mono ${cut} ${styles['key']}`}>{row.key}</span>,
  },
  {
    key: 'name',
    title: t('definition:field.name'),
    sortKey: 'name',
    width: 220,
    atLeast: 732,
    render: (row) => <bdi className={cut}>{row.name}</bdi>,
  },
  {
    key: 'steps',
    title: t('workflows:field.steps'),
    align: 'right',
    width: 70,
    atLeast: 802,
    render: (row) => formatNumber(row.step_count),
  },
  {
    key: 'variables',
    title: t('model:variables.title'),
    width: 160,
    isOptional: true,
    render: (row) =>
      row.variables.length === 0 ? (
        <span className="dimmed">{unknown}</span>
      ) : (
        <span className={`mono ${cut}`}>{row.variables.join(', ')}</span>
      ),
  },
  {
    key: 'last',
    title: t('workflows:field.last_run'),
    width: 200,
    atLeast: 512,
    render: (row) => <LastRun row={row} />,
  },
  {
    key: 'version',
    title: t('definition:field.version'),
    width: 76,
    atLeast: 878,
    render: (row) => <span className="mono">{row.version}</span>,
  },
  {
    key: 'updated',
    title: t('definition:field.updated'),
    sortKey: 'updated_at',
    width: 164,
    atLeast: 1042,
    render: (row) => (
      <span className={styles['by']}>
        <Time at={row.updated_at} />
        <bdi className="truncate dimmed">{row.updated_by}</bdi>
      </span>
    ),
  },
  {
    key: 'menu',
    title: t('definition:field.actions'),
    width: 80,
    isFixed: true,
    render: (row) => <DefinitionMenu subject={row} actions={actions} />,
  },
]
