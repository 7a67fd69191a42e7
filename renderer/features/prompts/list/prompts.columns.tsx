import { IconLock } from '@tabler/icons-react'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
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

export const trashColumns = (actions: PromptActions): readonly Column<PromptRow>[] => [
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
    width: 160,
    minFrameWidth: 1072,
    render: (row) => <bdi className={truncated}>{row.name}</bdi>,
  },
  {
    key: 'env',
    title: t('prompts:field.env_short'),
    width: 72,
    minFrameWidth: 525,
    render: (row) => <EnvBadge env={row.env} />,
  },
  {
    key: 'version',
    title: t('prompts:field.live'),
    width: 140,
    minFrameWidth: 836,
    render: (row) => <Version row={row} />,
  },
  {
    key: 'updated',
    title: t('prompts:field.deleted'),
    width: 164,
    minFrameWidth: 700,
    render: (row) => <ChangedBy at={row.deleted_at ?? row.updated_at} by={row.updated_by} />,
  },
  {
    key: 'until',
    title: t('prompts:field.until'),
    width: 120,
    minFrameWidth: 450,
    render: (row) => <Time at={row.restorable_until} />,
  },
  {
    key: 'menu',
    title: t('prompts:field.actions'),
    width: 92,
    isFixed: true,
    render: (row) => <RowActions row={row} actions={actions} />,
  },
]
