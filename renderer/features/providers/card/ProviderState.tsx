import { Tooltip } from '@mantine/core'
import {
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconCircleOff,
  IconCircleX,
  IconHome,
  IconQuestionMark,
} from '@tabler/icons-react'
import type { ProviderStatus } from '../../../../contract/models/provider-choice.ts'
import type { Provider } from '../../../../contract/models/providers.ts'
import { formatDuration } from '../../../lib/format/format.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { Badge, type Tone } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import styles from '../providers.module.css'

type State = ProviderStatus | 'broken'

/** Returns the status of a provider, or `broken` if its key cannot be read. */
export const stateOf = ({ status, key_problem }: Provider): State =>
  status === 'not_configured' && key_problem !== null ? 'broken' : status

const badges: Readonly<Record<State, readonly [Tone, typeof IconCheck]>> = {
  ready: ['ok', IconCheck],
  failing: ['bad', IconCircleX],
  unchecked: ['quiet', IconQuestionMark],
  not_configured: ['quiet', IconCircleDashed],
  disabled: ['quiet', IconCircleOff],
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

/** The last check or call: its time, its latency, and since when and why the provider fails. */
export function LastCheck({ provider }: { readonly provider: Provider }) {
  const { checked_at: at, checked_by: by, latency_ms: latency, failing_since: since, error } = provider
  if (provider.status === 'unchecked') return <p className={styles['note']}>{t('providers:check.none')}</p>
  if (at === null || by === null) return null
  const time = <Time at={at} />
  if (error !== null) {
    return (
      <p className={styles['failure']} role="status">
        {tNode('providers:check.failing', { since: <Time at={since} />, error })}{' '}
        {tNode(`providers:check.last_${by}`, { time })}
      </p>
    )
  }
  const duration = formatDuration(latency)
  return <p className={styles['note']}>{tNode(`providers:check.${by}`, { time, latency: duration })}</p>
}
