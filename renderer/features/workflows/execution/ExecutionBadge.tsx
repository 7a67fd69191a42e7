import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconLoader2,
  IconMinus,
  IconPlayerSkipForward,
  IconPlayerStop,
  IconX,
} from '@tabler/icons-react'
import { t } from '../../../lib/i18n.ts'
import { Badge, type Tone } from '../../../ui/display/Badge.tsx'
import type { TraceStatus } from './trace.ts'

const signs: Readonly<Record<TraceStatus, readonly [Tone, typeof IconX]>> = {
  waiting: ['quiet', IconClock],
  running: ['accent', IconLoader2],
  ok: ['ok', IconCheck],
  error: ['bad', IconX],
  skipped: ['quiet', IconPlayerSkipForward],
  cancelled: ['warn', IconPlayerStop],
  interrupted: ['warn', IconAlertTriangle],
  not_run: ['quiet', IconMinus],
}

export function ExecutionBadge({ status }: { readonly status: TraceStatus }) {
  const [tone, Icon] = signs[status]
  return (
    <Badge tone={tone} icon={<Icon size={13} />}>
      {t(`workflows:status.${status}`)}
    </Badge>
  )
}
