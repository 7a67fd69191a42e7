import { IconCheck, IconX } from '@tabler/icons-react'
import { t } from '../../lib/i18n.ts'
import { Badge } from '../../ui/display/Badge.tsx'

/** Badge of a run's outcome. */
export function StatusBadge({ status }: { readonly status: 'ok' | 'error' }) {
  return status === 'ok' ? (
    <Badge tone="ok" icon={<IconCheck size={13} />}>
      {t('common:status.ok')}
    </Badge>
  ) : (
    <Badge tone="bad" icon={<IconX size={13} />}>
      {t('common:status.error')}
    </Badge>
  )
}
