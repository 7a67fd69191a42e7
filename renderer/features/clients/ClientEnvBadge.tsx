import { everyNamespace } from '../../../contract/live/frames.ts'
import { t } from '../../lib/i18n.ts'
import { EnvBadge } from '../../shared/environments/EnvBadge.tsx'
import { Badge } from '../../ui/display/Badge.tsx'
import { Hint } from '../../ui/display/Hint.tsx'

/** A badge with the client's environment; consoles receive events of all environments. */
export function ClientEnvBadge({ namespace }: { readonly namespace: string }) {
  if (namespace !== everyNamespace) return <EnvBadge env={namespace} />
  return (
    <Hint label={t('clients:console_help')}>
      <span>
        <Badge>{t('clients:console')}</Badge>
      </span>
    </Hint>
  )
}
