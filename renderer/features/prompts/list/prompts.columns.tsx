import { IconBroadcast, IconLock } from '@tabler/icons-react'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { formatNumber, unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { EnvBadge } from '../../../shared/environments/EnvBadge.tsx'
import { ChangedBy, truncated } from '../../../shared/resources/list/cells.tsx'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Hint } from '../../../ui/display/Hint.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import type { PromptActions } from '../usePromptActions.tsx'
import styles from './prompts.module.css'
import { RowActions } from './RowActions.tsx'

const dash = <span className="dimmed">{unknown}</span>

/** The served version, with a badge if there is a draft. */
function Version({ row }: { readonly row: PromptRow }) {
  return (
    <span className={styles['version']}>
      {row.served === null ? (
        <span className="dimmed">{t('prompts:never_published')}</span>
      ) : (
        <span className="mono">{row.served.version}</span>
      )}
      {row.has_draft && <Badge tone="accent">{t('prompts:draft')}</Badge>}
    </span>
  )
}

function Clients({ count }: { readonly count: number }) {
  if (count === 0) return dash
  return (
    <Hint label={t('prompts:clients_use', { count })}>
      <span className={styles['live']}>
        <IconBroadcast size={14} />
        {formatNumber(count)}
      </span>
    </Hint>
  )
}

/** The columns between the version and the last change. */
const factColumns = (isTrash: boolean): readonly Column<PromptRow>[] => [
  {
    key: 'clients',
    title: t('prompts:field.clients'),
    align: 'right',
    width: 76,
    minFrameWidth: isTrash ? 912 : 614,
    render: (row) => <Clients count={row.client_count} />,
  },
  {
    key: 'model',
    title: t('prompts:field.model'),
    width: 130,
    isOptional: true,
    render: (row) => (row.model === null ? dash : <span className={`mono ${truncated}`}>{row.model}</span>),
  },
  {
    key: 'tags',
    title: t('prompts:field.tags'),
    width: 160,
    isOptional: true,
    render: (row) => (row.tags.length === 0 ? dash : <bdi className={truncated}>{row.tags.join(', ')}</bdi>),
  },
  {
    key: 'category',
    title: t('prompts:field.category'),
    width: 110,
    isOptional: true,
    render: (row) => (row.category === null ? dash : <bdi className={truncated}>{row.category}</bdi>),
  },
]

export const promptColumns = (actions: PromptActions, isTrash: boolean): readonly Column<PromptRow>[] => [
  {
    key: 'key',
    title: t('prompts:field.key'),
    sortKey: 'key',
    isFixed: true,
    render: (row) => (
      <span className={`rest ${styles['key']}`}>
        <span className="mono truncate">
          <span className="dimmed">{row.folder === '' ? '' : `${row.folder}/`}</span>
          {row.key.slice(row.folder === '' ? 0 : row.folder.length + 1)}
        </span>
        {row.protected && (
          <Hint label={t('prompts:protected', { env: row.env })}>
            <span role="img" aria-label={t('prompts:protected', { env: row.env })} className={styles['lock']}>
              <IconLock size={13} />
            </span>
          </Hint>
        )}
      </span>
    ),
  },
  {
    key: 'name',
    title: t('prompts:field.name'),
    sortKey: 'name',
    width: 160,
    minFrameWidth: isTrash ? 1072 : 940,
    render: (row) => <bdi className={truncated}>{row.name}</bdi>,
  },
  {
    key: 'env',
    title: t('prompts:field.env_short'),
    width: 72,
    minFrameWidth: isTrash ? 525 : 390,
    render: (row) => <EnvBadge env={row.env} />,
  },
  {
    key: 'version',
    title: t('prompts:field.live'),
    width: 140,
    minFrameWidth: isTrash ? 836 : 540,
    render: (row) => <Version row={row} />,
  },
  ...factColumns(isTrash),
  {
    key: 'updated',
    title: t(isTrash ? 'prompts:field.deleted' : 'prompts:field.updated'),
    ...(isTrash ? {} : { sortKey: 'updated_at' }),
    width: 164,
    minFrameWidth: isTrash ? 700 : 778,
    render: (row) => <ChangedBy at={row.deleted_at ?? row.updated_at} by={row.updated_by} />,
  },
  ...(isTrash
    ? [
        {
          key: 'until',
          title: t('prompts:field.until'),
          width: 120,
          minFrameWidth: 450,
          render: (row: PromptRow) => <Time at={row.restorable_until} />,
        },
      ]
    : []),
  {
    key: 'menu',
    title: t('prompts:field.actions'),
    width: isTrash ? 92 : 80,
    isFixed: true,
    render: (row) => <RowActions row={row} actions={actions} />,
  },
]
