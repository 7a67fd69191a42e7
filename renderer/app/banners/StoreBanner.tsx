import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { t } from '../../lib/i18n.ts'
import { healthQuery, storeRefusals } from '../../lib/service/health.ts'
import { useStore } from '../../lib/state/store.ts'
import { Banner } from '../../ui/feedback/Banner.tsx'

/** Interval of health requests, in milliseconds: normally, and while the store is full or failed. */
const pollMs = 30_000
const failedPollMs = 5_000

/** Banner while nothing new can be stored, with what still works. */
export function StoreBanner() {
  const refusals = useStore(storeRefusals)
  const { data, refetch } = useQuery({
    ...healthQuery,
    refetchInterval: ({ state }) => (state.data?.status === 'ok' ? pollMs : failedPollMs),
  })
  useEffect(() => {
    if (refusals > 0) void refetch()
  }, [refusals, refetch])
  if (data === undefined || data.status === 'ok') return null
  return <Banner tone="warn">{t(`shell:store.${data.status}`)}</Banner>
}
