import { IconAlertTriangle } from '@tabler/icons-react'
import { sdkVersions } from '../../../contract/prompts/sdk.ts'
import { formatNumber, formatSpan, unknown } from '../../lib/format/format.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { WorkspaceName } from '../../shared/workspaces/WorkspaceName.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { Hint } from '../../ui/display/Hint.tsx'
import { Time } from '../../ui/display/Time.tsx'
import type { Column } from '../../ui/table/columns.ts'
import { ClientEnvBadge } from './ClientEnvBadge.tsx'
import { ClientIcon } from './ClientIcon.tsx'
import { type ClientRow, isDisconnected } from './clientRow.ts'
import styles from './clients.module.css'

const truncated = `truncate ${styles['truncated']}`
const dash = <span className="dimmed">{unknown}</span>

/** The time of connection; for a disconnected client, the duration of the connection. */
function Connected({ client }: { readonly client: ClientRow }) {
  const { connected_at: since, disconnected_at: until } = client
  if (until !== undefined) return formatSpan(Date.parse(until) - Date.parse(since))
  return client.isRemoved === true ? dash : <Time at={since} as="span" />
}

/** The time of the client's last message; for a disconnected client, the time of disconnection. */
function Seen({ client }: { readonly client: ClientRow }) {
  if (!isDisconnected(client)) return <Time at={client.last_seen_at} />
  const { disconnected_at: until } = client
  if (until === undefined) return t('clients:disconnected')
  return <span>{tNode('clients:disconnected_at', { time: <Time at={until} /> })}</span>
}

const listed = (keys: readonly string[]): string => keys.slice(0, 20).join(', ')

function Keys({ client }: { readonly client: ClientRow }) {
  const { keys, behind, missing } = client
  const [first, ...others] = keys
  if (first === undefined) return dash
  return (
    <span className={styles['keys']}>
      <Hint label={t('clients:keys.all', { count: keys.length, keys: listed(keys) })}>
        <span className={styles['keys']}>
          <span className="mono truncate">{first}</span>
          {others.length > 0 && (
            <span className="dimmed tabular">
              {t('clients:keys.more', { count: formatNumber(others.length) })}
            </span>
          )}
        </span>
      </Hint>
      {missing.length > 0 && (
        <Hint label={t('clients:keys.missing_all', { count: missing.length, keys: listed(missing) })}>
          <Badge tone="warn">
            {t('clients:keys.missing', { count: missing.length, shown: formatNumber(missing.length) })}
          </Badge>
        </Hint>
      )}
      {behind.length > 0 && (
        <Hint label={t('clients:keys.outdated_all', { count: behind.length, keys: listed(behind) })}>
          <Badge tone="warn">
            {t('clients:keys.outdated', { count: behind.length, shown: formatNumber(behind.length) })}
          </Badge>
        </Hint>
      )}
    </span>
  )
}

/** The reported SDK release, with a warning if this service includes a newer one. */
function Sdk({ client }: { readonly client: ClientRow }) {
  const { sdk_version: version, sdk_outdated: isOutdated, client_type: type } = client
  if (version === null) return dash
  const shown = <span className={`mono ${truncated}`}>{version}</span>
  if (isOutdated !== true) return shown
  return (
    <Hint label={t('clients:sdk.outdated', { version: sdkVersions[type] })}>
      <span className={styles['keys']}>
        {shown}
        <IconAlertTriangle
          size={14}
          stroke={1.75}
          color="var(--pd-warn)"
          role="img"
          aria-label={t('clients:sdk.old')}
        />
      </span>
    </Hint>
  )
}

/** Returns the columns of the list. `ownId` is the id of this console's own connection. */
export const clientColumns = (ownId: string | null): readonly Column<ClientRow>[] => [
  {
    key: 'app',
    title: t('clients:column.app'),
    sortKey: 'app',
    isFixed: true,
    render: (client) => (
      <span className={`rest ${styles['app']}`}>
        <ClientIcon type={client.client_type} />
        <bdi className="truncate">{client.app}</bdi>
        {client.id === ownId && <Badge>{t('clients:this_console')}</Badge>}
      </span>
    ),
  },
  {
    key: 'type',
    title: t('clients:column.type'),
    width: 90,
    isOptional: true,
    render: (client) => t(`clients:type.${client.client_type}`),
  },
  {
    key: 'namespace',
    title: t('clients:column.environment'),
    width: 100,
    render: (client) => <ClientEnvBadge namespace={client.namespace} />,
  },
  {
    key: 'connected',
    title: t('clients:column.connected'),
    sortKey: 'connected_at',
    width: 120,
    minFrameWidth: 740,
    render: (client) => <Connected client={client} />,
  },
  {
    key: 'seen',
    title: t('clients:column.seen'),
    width: 110,
    minFrameWidth: 446,
    render: (client) => <Seen client={client} />,
  },
  {
    key: 'user',
    title: t('clients:column.user'),
    width: 110,
    minFrameWidth: 846,
    render: (client) => <bdi className={truncated}>{client.username}</bdi>,
  },
  {
    key: 'address',
    title: t('clients:column.address'),
    width: 110,
    minFrameWidth: 965,
    render: (client) => <span className={`mono ${truncated}`}>{client.remote_addr}</span>,
  },
  {
    key: 'workspace',
    title: t('clients:column.workspace'),
    width: 100,
    minFrameWidth: 1152,
    render: (client) => <WorkspaceName workspace={client.workspace} className={truncated} />,
  },
  {
    key: 'sdk',
    title: t('clients:column.sdk'),
    width: 90,
    minFrameWidth: 1152,
    render: (client) => <Sdk client={client} />,
  },
  {
    key: 'keys',
    title: t('clients:column.keys'),
    width: 170,
    minFrameWidth: 616,
    render: (client) => <Keys client={client} />,
  },
]
