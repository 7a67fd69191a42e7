import { IconBroadcast, IconLock } from '@tabler/icons-react'
import { type Environment, environments } from '../../../../contract/common/environments.ts'
import { formatNumber, unknown } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { ChangedBy, truncated } from '../../../shared/resources/list/cells.tsx'
import { Hint } from '../../../ui/display/Hint.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import styles from '../list/prompts.module.css'
import { KeyCell } from './KeyCell.tsx'
import { KeyMenu, type KeyMenuActions } from './KeyMenu.tsx'
import type { KeyRow } from './keyRow.ts'

const dash = <span className="dimmed">{unknown}</span>

function Clients({ row }: { readonly row: KeyRow }) {
  const count = row.envs.reduce((sum, { client_count: clients }) => sum + clients, 0)
  if (count === 0) return dash
  const used = row.envs.filter(({ client_count: clients }) => clients > 0)
  const byEnv = used.map(({ env, client_count: clients }) => `${env} ${formatNumber(clients)}`).join(', ')
  return (
    <Hint label={`${t('prompts:clients_use', { count })}: ${byEnv}`}>
      <span className={styles['live']}>
        <IconBroadcast size={14} />
        {formatNumber(count)}
      </span>
    </Hint>
  )
}

/** The key, with its folder in grey and a lock if an environment is protected. */
function Key({ row }: { readonly row: KeyRow }) {
  const locked = row.envs.filter((cell) => cell.protected).map(({ env }) => env)
  const text = t('prompts:protected', { env: locked.join(', ') })
  return (
    <span className={`rest ${styles['key']}`}>
      <span className="mono truncate">
        <span className="dimmed">{row.folder === '' ? '' : `${row.folder}/`}</span>
        {row.key.slice(row.folder === '' ? 0 : row.folder.length + 1)}
      </span>
      {locked.length > 0 && (
        <Hint label={text}>
          <span role="img" aria-label={text} className={styles['lock']}>
            <IconLock size={13} />
          </span>
        </Hint>
      )}
    </span>
  )
}

/** In a narrower frame the environment is hidden first that changes most often. */
const minFrameWidths: Readonly<Record<Environment, number>> = { dev: 690, test: 570, prod: 455 }

const envColumn = (env: Environment): Column<KeyRow> => ({
  key: env,
  title: env,
  width: 116,
  minFrameWidth: minFrameWidths[env],
  render: (row) => <KeyCell row={row} env={env} />,
})

const modelsOf = (row: KeyRow): string =>
  [...new Set(row.envs.flatMap(({ model }) => (model === null ? [] : [model])))].join(', ')

const factColumns: readonly Column<KeyRow>[] = [
  {
    key: 'model',
    title: t('prompts:field.model'),
    width: 130,
    isOptional: true,
    render: (row) => <span className={`mono ${truncated}`}>{modelsOf(row) || unknown}</span>,
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

/** The columns of the list of keys: a matrix of environments between the key and its facts. */
export const keyColumns = (actions: KeyMenuActions): readonly Column<KeyRow>[] => [
  {
    key: 'key',
    title: t('prompts:field.key'),
    sortKey: 'key',
    isFixed: true,
    render: (row) => <Key row={row} />,
  },
  {
    key: 'name',
    title: t('prompts:field.name'),
    width: 150,
    minFrameWidth: 1070,
    render: (row) => <bdi className={truncated}>{row.name}</bdi>,
  },
  ...environments.map(envColumn),
  {
    key: 'clients',
    title: t('prompts:field.clients'),
    align: 'right',
    width: 76,
    minFrameWidth: 915,
    render: (row) => <Clients row={row} />,
  },
  ...factColumns,
  {
    key: 'updated',
    title: t('prompts:field.updated'),
    sortKey: 'updated_at',
    width: 150,
    minFrameWidth: 840,
    render: (row) => <ChangedBy at={row.updated_at} by={row.updated_by} />,
  },
  {
    key: 'menu',
    title: t('prompts:field.actions'),
    width: 80,
    isFixed: true,
    render: (row) => <KeyMenu row={row} actions={actions} />,
  },
]
