import './alerts.texts.ts'
import { IconBell, IconCheck } from '@tabler/icons-react'
import type { AlertStatus } from '../../../contract/alerts/alert.ts'
import type { AlertEvent } from '../../../contract/alerts/alert-events.ts'
import { t } from '../../lib/i18n.ts'
import { Badge, type Tone } from '../../ui/display/Badge.tsx'

const tones: Readonly<Record<AlertStatus, Tone>> = {
  pending: 'quiet',
  ok: 'ok',
  firing: 'bad',
  no_data: 'warn',
  off: 'quiet',
}

export const AlertStatusBadge = ({ status }: { readonly status: AlertStatus }) => (
  <Badge tone={tones[status]}>{t(`alerts:status.${status}`)}</Badge>
)

export const EventBadge = ({ type }: { readonly type: AlertEvent['type'] }) => (
  <Badge
    tone={type === 'firing' ? 'bad' : 'ok'}
    icon={type === 'firing' ? <IconBell size={12} /> : <IconCheck size={12} />}
  >
    {t(`alerts:type.${type}`)}
  </Badge>
)

const deliveryTones = { pending: 'warn', delivered: 'ok', failed: 'bad' } as const

export const DeliveryBadge = ({ delivery }: { readonly delivery: AlertEvent['delivery'] }) =>
  delivery === null ? (
    <span className="dimmed">{t('alerts:delivery.none')}</span>
  ) : (
    <Badge tone={deliveryTones[delivery.status]}>{t(`alerts:delivery.${delivery.status}`)}</Badge>
  )
