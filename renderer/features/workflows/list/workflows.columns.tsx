import { Link } from '@tanstack/react-router'
import type { WorkflowRow } from '../../../../contract/workflows/workflow.ts'
import { formatNumber, unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { definitionColumns } from '../../../shared/definitions/list/columns.tsx'
import type { DefinitionActions } from '../../../shared/definitions/list/useDefinitionActions.tsx'
import { truncated } from '../../../shared/resources/list/cells.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import { ExecutionBadge } from '../execution/ExecutionBadge.tsx'
import styles from './workflows.module.css'

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

export const workflowColumns = (actions: DefinitionActions): readonly Column<WorkflowRow>[] =>
  definitionColumns(actions, {
    nameWidth: 200,
    minFrameWidth: { name: 740, version: 886, updated: 1050 },
    extraColumns: [
      {
        key: 'steps',
        title: t('workflows:field.steps'),
        align: 'right',
        width: 70,
        minFrameWidth: 810,
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
            <span className={`mono ${truncated}`}>{row.variables.join(', ')}</span>
          ),
      },
      {
        key: 'last',
        title: t('workflows:field.last_run'),
        width: 200,
        minFrameWidth: 540,
        render: (row) => <LastRun row={row} />,
      },
    ],
  })
