import type { AgentRow } from '../../../../contract/agents/agent.ts'
import { unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { definitionColumns } from '../../../shared/definitions/list/columns.tsx'
import type { DefinitionActions } from '../../../shared/definitions/list/useDefinitionActions.tsx'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { truncated } from '../../../shared/resources/list/cells.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import styles from './list.module.css'

/** The key of the agent's prompt, or a note that the agent has a custom text. */
const Text = ({ row }: { readonly row: AgentRow }) =>
  row.prompt_key === null ? (
    <span className="dimmed">{t('agents:custom_text')}</span>
  ) : (
    <span className={styles['prompt']}>
      <span className="mono truncate">{row.prompt_key}</span>
      <EnvBadge env={row.env} />
    </span>
  )

export const agentColumns = (actions: DefinitionActions): readonly Column<AgentRow>[] =>
  definitionColumns(actions, {
    nameWidth: 170,
    minFrameWidth: { name: 514, version: 860, updated: 1024 },
    extraColumns: [
      {
        key: 'text',
        title: t('agents:field.text'),
        width: 170,
        minFrameWidth: 784,
        render: (row) => <Text row={row} />,
      },
      {
        key: 'provider',
        title: t('agents:field.provider'),
        width: 100,
        minFrameWidth: 614,
        render: (row) => <span className={truncated}>{row.provider}</span>,
      },
      {
        key: 'model',
        title: t('agents:field.model'),
        width: 130,
        minFrameWidth: 1154,
        render: (row) =>
          row.model === null ? (
            <span className="dimmed">{unknown}</span>
          ) : (
            <span className={`mono ${truncated}`}>{row.model}</span>
          ),
      },
    ],
  })
