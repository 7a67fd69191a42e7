import type { AlertEvent } from '../../../../contract/alerts/alert-events.ts'
import { t } from '../../../lib/i18n.ts'
import { DeliveryBadge, EventBadge } from '../../../shared/alerts/StatusBadges.tsx'
import { formatAlertValue } from '../../../shared/alerts/wording.ts'
import { Time } from '../../../ui/display/Time.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import styles from '../alerts.module.css'

export const eventColumns = (): readonly Column<AlertEvent>[] => [
  {
    key: 'time',
    title: t('alerts:column.time'),
    width: 130,
    isFixed: true,
    render: (event) => <Time at={event.created_at} />,
  },
  {
    key: 'event',
    title: t('alerts:column.event'),
    width: 120,
    render: (event) => <EventBadge type={event.type} />,
  },
  {
    key: 'alert',
    title: t('alerts:column.alert'),
    render: (event) => (
      <span className={`rest ${styles['name']}`}>
        <bdi className="truncate">{event.alert_name}</bdi>
      </span>
    ),
  },
  {
    key: 'value',
    title: t('alerts:column.value'),
    align: 'right',
    width: 130,
    minFrameWidth: 520,
    render: ({ kind, value }) => formatAlertValue(kind, value),
  },
  {
    key: 'threshold',
    title: t('alerts:column.threshold'),
    align: 'right',
    width: 130,
    minFrameWidth: 640,
    render: ({ kind, threshold }) => formatAlertValue(kind, threshold),
  },
  {
    key: 'delivery',
    title: t('alerts:column.delivery'),
    width: 120,
    minFrameWidth: 520,
    render: ({ delivery }) => <DeliveryBadge delivery={delivery} />,
  },
]
