import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { gatewaySource } from '../../../../contract/gateway/gateway.ts'
import { formatDuration, formatNumber, formatPercent } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { TextLink } from '../../../ui/display/link/TextLink.tsx'
import { gatewayHealthQuery } from '../providers.queries.ts'

/** The calls of a provider through the gateway: their number, failures and latency. Links to their runs. */
export function GatewayHealth({ provider }: { readonly provider: string }) {
  const { data, isPending } = useQuery(gatewayHealthQuery)
  if (isPending) return <Skeleton height={14} width={160} />
  if (data === undefined) return t('providers:facts.gateway_unknown')
  const figures = data.get(provider)
  if (figures === undefined) return t('providers:facts.gateway_none')
  const { count, error, p50_latency_ms: p50, p95_latency_ms: p95 } = figures
  const failed =
    error === 0 ? formatNumber(0) : `${formatNumber(error)} (${formatPercent(figures.error_rate)})`
  const calls = t('providers:facts.gateway_calls', { count, failed })
  return (
    <TextLink
      to="/runs/{-$id}"
      params={{ id: undefined }}
      search={{ source: [gatewaySource], provider: [provider], period: '24h' }}
    >
      {t('providers:facts.gateway_latency', { calls, p50: formatDuration(p50), p95: formatDuration(p95) })}
    </TextLink>
  )
}
