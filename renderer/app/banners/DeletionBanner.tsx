import { useQuery } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { useIsAllowed } from '../../lib/session/me.ts'
import { deletionQuery } from '../../shared/deletion/deletion.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Banner } from '../../ui/feedback/Banner.tsx'

/** Banner while deletion by age is paused because the clock jumped, for users who can confirm the clock. */
export function DeletionBanner() {
  const isAllowed = useIsAllowed('settings.manage')
  const { data } = useQuery({ ...deletionQuery, enabled: isAllowed })
  if (!isAllowed || data?.status !== 'paused') return null
  return (
    <Banner
      tone="warn"
      action={
        <LinkButton to="/settings" hash="runs" size="compact-xs" variant="default">
          {t('shell:deletion.open')}
        </LinkButton>
      }
    >
      {t('shell:deletion.paused')}
    </Banner>
  )
}
