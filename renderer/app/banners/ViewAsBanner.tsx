import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { useMe, useRealMe } from '../../lib/session/me.ts'
import { Banner } from '../../ui/feedback/Banner.tsx'
import { stopViewing } from '../shell/menu/viewing.ts'

/** Banner while an admin views the console as a lower role, with a button to stop. */
export function ViewAsBanner() {
  const queries = useQueryClient()
  const realMe = useRealMe()
  const me = useMe()
  if (me.role === realMe.role) return null
  return (
    <Banner
      tone="quiet"
      action={
        <Button size="compact-xs" variant="default" onClick={() => stopViewing(queries)}>
          {t('shell:view_as.stop')}
        </Button>
      }
    >
      {t('shell:view_as.banner', { role: t(`common:role.${me.role}`) })}
    </Banner>
  )
}
