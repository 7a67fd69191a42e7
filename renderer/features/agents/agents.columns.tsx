import type { AgentRow } from '../../../contract/agent.ts'
import { unknown } from '../../lib/format.ts'
import { t } from '../../lib/i18n.ts'
import type { Column } from '../../ui/columns.ts'
import { DefinitionMenu } from '../../ui/definition/DefinitionMenu.tsx'
import type { DefinitionActions } from '../../ui/definition/useDefinitionActions.tsx'
import { EnvBadge } from '../../ui/EnvBadge.tsx'
import { Time } from '../../ui/Time.tsx'
import styles from './agents.module.css'

const cut = `truncate ${styles['cut']}`

/** The prompt it takes, or that it has a text of its own. */
const Text = ({ row }: { readonly row: AgentRow }) =>
  row.prompt_key === null ? (
    <span className="dimmed">{t('agents:own_text')}</span>
  ) : (
    <span className={styles['prompt']}>
      <span className="mono truncate">{row.prompt_key}</span>
      <EnvBadge env={row.env} />
    </span>
  )

export const agentColumns = (actions: DefinitionActions): readonly Column<AgentRow>[] => [
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
    width: 170,
    atLeast: 514,
    render: (row) => <bdi className={cut}>{row.name}</bdi>,
  },
  {
    key: 'text',
    title: t('agents:field.text'),
    width: 170,
    atLeast: 784,
    render: (row) => <Text row={row} />,
  },
  {
    key: 'provider',
    title: t('agents:field.provider'),
    width: 100,
    atLeast: 614,
    render: (row) => <span className={cut}>{row.provider}</span>,
  },
  {
    key: 'model',
    title: t('agents:field.model'),
    width: 130,
    atLeast: 1154,
    render: (row) =>
      row.model === null ? (
        <span className="dimmed">{unknown}</span>
      ) : (
        <span className={`mono ${cut}`}>{row.model}</span>
      ),
  },
  {
    key: 'version',
    title: t('definition:field.version'),
    width: 76,
    atLeast: 860,
    render: (row) => <span className="mono">{row.version}</span>,
  },
  {
    key: 'updated',
    title: t('definition:field.updated'),
    sortKey: 'updated_at',
    width: 164,
    atLeast: 1024,
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
