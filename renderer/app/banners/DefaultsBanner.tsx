import { CloseButton } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import { t } from '../../lib/i18n.ts'
import { useMe } from '../../lib/session/me.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Banner } from '../../ui/feedback/Banner.tsx'
import { useWelcome } from '../Welcome.tsx'

/** Banner that names the active built-in credentials, for users who can change them. */
export function DefaultsBanner() {
  const me = useMe()
  const [isHidden, setHidden] = useSessionStorage({ key: 'promptdeck.defaults-seen', defaultValue: false })
  const { password, token } = me.defaults
  // The first-run panel shows the same as its first step.
  const { isDue } = useWelcome()
  if (isDue || me.role !== 'admin' || isHidden || (!password && !token)) return null
  const credential = password && token ? 'both' : password ? 'password' : 'token'
  return (
    <Banner
      tone="warn"
      action={
        <>
          {password && me.auth === 'session' && (
            <LinkButton to="/profile" size="compact-xs" variant="default">
              {t('shell:defaults.change_password')}
            </LinkButton>
          )}
          {token && (
            <LinkButton to="/settings" hash="token" size="compact-xs" variant="default">
              {t('shell:defaults.change_token')}
            </LinkButton>
          )}
          <CloseButton size="sm" aria-label={t('shell:defaults.later')} onClick={() => setHidden(true)} />
        </>
      }
    >
      {t(`shell:defaults.${credential}`)}
    </Banner>
  )
}
