import { Link } from '@tanstack/react-router'
import { defaultWorkspaceId, type Workspace } from '../../../contract/system/workspaces.ts'
import { formatNumber } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'
import type { Column } from '../../ui/table/columns.ts'
import styles from './workspaces.module.css'

const count = (value: number) => <span className={value === 0 ? 'dimmed' : ''}>{formatNumber(value)}</span>

export const workspaceColumns = (): readonly Column<Workspace>[] => [
  {
    key: 'name',
    title: t('workspaces:column.name'),
    sortKey: 'name',
    isFixed: true,
    render: (workspace) => (
      <span className={`rest ${styles['name']}`}>
        <bdi className="truncate">{workspace.name}</bdi>
        {workspace.id === defaultWorkspaceId && <Badge>{t('workspaces:built_in')}</Badge>}
      </span>
    ),
  },
  {
    key: 'slug',
    title: t('workspaces:column.slug'),
    width: 200,
    minFrameWidth: 650,
    render: (workspace) => <span className={`mono truncate ${styles['slug']}`}>{workspace.slug}</span>,
  },
  {
    key: 'prompts',
    title: t('workspaces:column.prompts'),
    align: 'right',
    width: 90,
    render: (workspace) =>
      workspace.prompt_count === 0 ? (
        count(0)
      ) : (
        <Link to="/prompts" search={{ workspace: workspace.slug }} className={styles['link'] ?? ''}>
          {count(workspace.prompt_count)}
        </Link>
      ),
  },
  {
    key: 'agents',
    title: t('workspaces:column.agents'),
    align: 'right',
    width: 90,
    minFrameWidth: 450,
    render: (workspace) =>
      workspace.agent_count === 0 ? (
        count(0)
      ) : (
        <Link to="/agents" search={{ workspace: workspace.slug }} className={styles['link'] ?? ''}>
          {count(workspace.agent_count)}
        </Link>
      ),
  },
  {
    key: 'workflows',
    title: t('workspaces:column.workflows'),
    align: 'right',
    width: 100,
    minFrameWidth: 450,
    render: (workspace) =>
      workspace.workflow_count === 0 ? (
        count(0)
      ) : (
        <Link to="/workflows" search={{ workspace: workspace.slug }} className={styles['link'] ?? ''}>
          {count(workspace.workflow_count)}
        </Link>
      ),
  },
  {
    key: 'created',
    title: t('workspaces:column.created'),
    sortKey: 'created_at',
    width: 150,
    minFrameWidth: 800,
    render: (workspace) => <Time at={workspace.created_at} />,
  },
  {
    key: 'updated',
    title: t('workspaces:column.updated'),
    width: 150,
    isOptional: true,
    render: (workspace) => <Time at={workspace.updated_at} />,
  },
]
