import type { ReactNode } from 'react'
import { formatClock, formatSpan } from '../../lib/format/format.ts'
import { useNow } from '../../lib/format/now.ts'
import { t } from '../../lib/i18n.ts'
import { liveState } from '../../lib/service/live.ts'
import { useStore } from '../../lib/state/store.ts'
import { Banner } from '../../ui/feedback/Banner.tsx'

/** Interruptions of the connection shorter than this many milliseconds are not shown. */
const displayDelayMs = 4_000

/** Banner while the live connection is lost: since when, and when the next attempt is. */
export function LostBanner({ action }: { readonly action: ReactNode }) {
  const { status, lastFrameAt, retryAt, lostAt } = useStore(liveState)
  const now = useNow()
  if (status === 'closed') {
    return (
      <Banner tone="warn" action={action}>
        {t('shell:live.help.closed')}
      </Banner>
    )
  }
  if (lostAt === null || status === 'off' || now - lostAt < displayDelayMs) return null
  return (
    <Banner tone="warn" action={action}>
      {lastFrameAt === null
        ? t('shell:live.help.lost')
        : t('shell:live.stale', { time: formatClock(new Date(lastFrameAt)) })}{' '}
      {retryAt !== null && retryAt > now
        ? t('shell:live.retrying_in', { span: formatSpan(retryAt - now) })
        : t('shell:live.retrying')}
    </Banner>
  )
}
