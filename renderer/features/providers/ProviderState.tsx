import { Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCircleDashed, IconCircleOff, IconHome } from '@tabler/icons-react'
import type { Provider } from '../../../contract/models/providers.ts'
import { t } from '../../lib/i18n.ts'
import { Badge, type Tone } from '../../ui/display/Badge.tsx'

type State = 'ready' | 'missing' | 'off' | 'broken'

/** Returns the state of a provider; a disabled provider is `off`, regardless of its configuration. */
export function stateOf({ configured, enabled, key_problem }: Provider): State {
  if (!enabled) return 'off'
  if (key_problem !== null) return 'broken'
  return configured ? 'ready' : 'missing'
}

const badges: Readonly<Record<State, readonly [Tone, typeof IconCheck]>> = {
  ready: ['ok', IconCheck],
  missing: ['quiet', IconCircleDashed],
  off: ['quiet', IconCircleOff],
  broken: ['bad', IconAlertTriangle],
}

/** Badges for the state of a provider, and for one that runs locally. */
export function ProviderState({ provider }: { readonly provider: Provider }) {
  const state = stateOf(provider)
  const [tone, Icon] = badges[state]
  return (
    <>
      <Badge tone={tone} icon={<Icon size={13} />}>
        {t(`providers:state.${state}`)}
      </Badge>
      {provider.local && (
        <Tooltip label={t('providers:local_hint')}>
          <span>
            <Badge icon={<IconHome size={13} />}>{t('providers:local')}</Badge>
          </span>
        </Tooltip>
      )}
    </>
  )
}
