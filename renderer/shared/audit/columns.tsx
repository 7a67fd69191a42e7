import type { AuditEntry } from '../../../contract/system/audit.ts'
import { formatNumber, unknown } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { ClockTime } from '../../ui/display/ClockTime.tsx'
import type { Column } from '../../ui/table/columns.ts'
import { WorkspaceName } from '../workspaces/WorkspaceName.tsx'
import { ActorMark } from './ActorMark.tsx'
import styles from './audit.module.css'
import { omittedTextOf, sentenceOf } from './sentence.tsx'

const mono = (text: string | null) =>
  text === null ? <span className="dimmed">{unknown}</span> : <span className="mono">{text}</span>

export const auditColumns = (): readonly Column<AuditEntry>[] => [
  {
    key: 'time',
    title: t('audit:column.time'),
    sortKey: 'created_at',
    width: 120,
    isFixed: true,
    render: (entry) => <ClockTime at={entry.created_at} />,
  },
  {
    key: 'what',
    title: t('audit:column.event'),
    isFixed: true,
    render: (entry) => {
      const omittedText = omittedTextOf(entry)
      return (
        <span className={`rest ${styles['event']}`}>
          <ActorMark entry={entry} />
          <span className={styles['sentence']} data-testid="sentence">
            {sentenceOf(entry)}
            {omittedText !== null && <span className={styles['remark']}> {omittedText}</span>}
          </span>
        </span>
      )
    },
  },
  {
    key: 'resource',
    title: t('audit:column.resource'),
    width: 110,
    isOptional: true,
    render: (entry) => t(`audit:resource.${entry.resource}`),
  },
  {
    key: 'workspace',
    title: t('audit:column.workspace'),
    width: 150,
    isOptional: true,
    render: (entry) => <WorkspaceName workspace={entry.workspace_id} className="truncate" />,
  },
  {
    key: 'ip',
    title: t('audit:column.ip'),
    width: 140,
    minFrameWidth: 900,
    render: (entry) => mono(entry.ip),
  },
  {
    key: 'request',
    title: t('audit:column.request'),
    width: 290,
    isOptional: true,
    render: (entry) => mono(entry.request_id),
  },
  {
    key: 'number',
    title: t('audit:column.number'),
    align: 'right',
    width: 80,
    minFrameWidth: 560,
    render: (entry) => <span className="mono tabular dimmed">{formatNumber(entry.id)}</span>,
  },
]
