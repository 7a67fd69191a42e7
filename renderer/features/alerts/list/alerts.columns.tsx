import { IconBell, IconDeviceDesktop, IconWebhook } from '@tabler/icons-react'
import type { Alert } from '../../../../contract/alerts/alert.ts'
import { t } from '../../../lib/i18n.ts'
import { AlertStatusBadge } from '../../../shared/alerts/StatusBadges.tsx'
import { formatAlertValue } from '../../../shared/alerts/wording.ts'
import { Hint } from '../../../ui/display/Hint.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import styles from '../alerts.module.css'

const channelsOf = ({ desktop, webhook }: Alert): readonly string[] => [
  t('alerts:drawer.bell'),
  ...(desktop ? [t('alerts:form.desktop')] : []),
  ...(webhook === null ? [] : [`${t('alerts:form.webhook')} ${webhook.origin}`]),
]

const Channels = ({ alert }: { readonly alert: Alert }) => (
  <Hint label={channelsOf(alert).join('\n')}>
    <span className={styles['channels']} role="img" aria-label={channelsOf(alert).join(', ')}>
      <IconBell size={14} />
      {alert.desktop && <IconDeviceDesktop size={14} />}
      {alert.webhook !== null && <IconWebhook size={14} />}
    </span>
  </Hint>
)

const Value = ({ alert: { kind, state } }: { readonly alert: Alert }) =>
  state.reason === null ? (
    <span className="tabular">{formatAlertValue(kind, state.value)}</span>
  ) : (
    <Hint label={state.reason}>
      <span className="dimmed">{formatAlertValue(kind, null)}</span>
    </Hint>
  )

/** Returns the columns. `sentence` describes the condition of an alert. */
export const alertColumns = (sentence: (alert: Alert) => string): readonly Column<Alert>[] => [
  {
    key: 'name',
    title: t('alerts:column.name'),
    sortKey: 'name',
    isFixed: true,
    render: ({ name }) => (
      <span className={`rest ${styles['name']}`}>
        <bdi className="truncate">{name}</bdi>
      </span>
    ),
  },
  {
    key: 'status',
    title: t('alerts:column.status'),
    width: 130,
    render: ({ state }) => <AlertStatusBadge status={state.status} />,
  },
  {
    key: 'condition',
    title: t('alerts:column.condition'),
    minFrameWidth: 1050,
    render: (alert) => (
      <Hint label={sentence(alert)}>
        <span className={`truncate ${styles['condition']}`}>{sentence(alert)}</span>
      </Hint>
    ),
  },
  {
    key: 'value',
    title: t('alerts:column.value'),
    align: 'right',
    width: 120,
    minFrameWidth: 480,
    render: (alert) => <Value alert={alert} />,
  },
  {
    key: 'channels',
    title: t('alerts:column.channels'),
    width: 110,
    minFrameWidth: 620,
    render: (alert) => <Channels alert={alert} />,
  },
  {
    key: 'updated',
    title: t('alerts:column.updated'),
    width: 140,
    isOptional: true,
    render: (alert) => <Time at={alert.updated_at} />,
  },
]
