import { useEffect, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { busyUntil } from '../../lib/service/busy.ts'
import { useStore } from '../../lib/state/store.ts'
import { Banner } from '../../ui/feedback/Banner.tsx'

/** Banner while reads wait because of a 429, with the remaining seconds. */
export function BusyBanner() {
  const until = useStore(busyUntil)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until === null) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [until])
  if (until === null || until <= now) return null
  return <Banner tone="warn">{t('shell:busy', { count: Math.ceil((until - now) / 1000) })}</Banner>
}
