import { useQuery } from '@tanstack/react-query'
import { t } from '../../../lib/i18n.ts'
import { QueryPending } from '../../../ui/feedback/QueryPending.tsx'
import { SettingsGroup } from '../SettingsGroup.tsx'
import { NetworkSettings } from './NetworkSettings.tsx'
import { networkQuery } from './network.queries.ts'

/** Sharing of the service on the local network: state, addresses, certificate and the choice of interfaces. */
export function NetworkGroup() {
  const query = useQuery(networkQuery)
  if (query.data !== undefined) return <NetworkSettings network={query.data} />
  return (
    <SettingsGroup id="network" title={t('settings:network.title')} purpose={t('settings:network.purpose')}>
      <QueryPending query={query} height={160} />
    </SettingsGroup>
  )
}
