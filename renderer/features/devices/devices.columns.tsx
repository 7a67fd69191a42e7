import { Button } from '@mantine/core'
import type { Device } from '../../../contract/accounts/devices.ts'
import { t } from '../../lib/i18n.ts'
import { describeAgent } from '../../lib/session/userAgent.ts'
import { KindBadge } from '../../shared/pairing/KindBadge.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { Time } from '../../ui/display/Time.tsx'
import type { Column } from '../../ui/table/columns.ts'
import styles from './devices.module.css'

export type DeviceActions = {
  readonly rename: (device: Device) => void
  readonly revoke: (device: Device) => void
}

export const deviceColumns = ({ rename, revoke }: DeviceActions): readonly Column<Device>[] => [
  {
    key: 'name',
    title: t('devices:column.name'),
    sortKey: 'name',
    isFixed: true,
    render: (device) => (
      <span className={styles['name']} title={describeAgent(device.user_agent)}>
        <bdi className="truncate">{device.name}</bdi>
        {device.is_current && <Badge tone="ok">{t('devices:this')}</Badge>}
      </span>
    ),
  },
  {
    key: 'kind',
    title: t('devices:column.kind'),
    width: 140,
    minFrameWidth: 620,
    render: (device) => <KindBadge kind={device.kind} />,
  },
  {
    key: 'user',
    title: t('devices:column.user'),
    width: 130,
    minFrameWidth: 480,
    render: ({ user }) =>
      user === null ? (
        <span className="dimmed">{t('devices:no_user')}</span>
      ) : (
        <bdi className="truncate">{user.username}</bdi>
      ),
  },
  {
    key: 'last_seen',
    title: t('devices:column.last_seen'),
    sortKey: 'last_seen_at',
    isHighestFirst: true,
    width: 130,
    minFrameWidth: 740,
    render: (device) => <Time at={device.last_seen_at} />,
  },
  {
    key: 'address',
    title: t('devices:column.address'),
    width: 140,
    minFrameWidth: 880,
    render: (device) => <span className="mono truncate">{device.address}</span>,
  },
  {
    key: 'expires',
    title: t('devices:column.expires'),
    width: 130,
    minFrameWidth: 1010,
    render: (device) =>
      device.state === 'expired' ? (
        <Badge tone="warn">{t('devices:expired')}</Badge>
      ) : (
        <Time at={device.expires_at} />
      ),
  },
  {
    key: 'created',
    title: t('devices:column.created'),
    sortKey: 'created_at',
    isHighestFirst: true,
    width: 130,
    isOptional: true,
    render: (device) => <Time at={device.created_at} />,
  },
  {
    key: 'approved_by',
    title: t('devices:column.approved_by'),
    width: 130,
    isOptional: true,
    render: (device) => <bdi className="truncate">{device.approved_by}</bdi>,
  },
  {
    key: 'actions',
    title: t('devices:column.actions'),
    width: 170,
    isFixed: true,
    render: (device) => (
      <span className={styles['tools']}>
        <Button
          variant="default"
          size="compact-xs"
          aria-label={t('devices:rename_named', { name: device.name })}
          onClick={() => rename(device)}
        >
          {t('devices:rename')}
        </Button>
        <Button
          variant="default"
          size="compact-xs"
          c="var(--pd-bad)"
          aria-label={t('devices:revoke_named', { name: device.name })}
          onClick={() => revoke(device)}
        >
          {t('devices:revoke')}
        </Button>
      </span>
    ),
  },
]
