import { CloseButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SignIn } from '../../../../contract/accounts/sign-ins.ts'
import { t, tNode } from '../../../lib/i18n.ts'
import { useMe } from '../../../lib/session/me.ts'
import { describeAgent } from '../../../lib/session/userAgent.ts'
import { useDismissed } from '../../../lib/state/dismissed.ts'
import { signInsQuery } from '../../../shared/access/signIns.ts'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { Banner } from '../../../ui/feedback/Banner.tsx'

/** Banner about sign-ins of the user from a new device or address, the latest first, until each is hidden. */
export function SignInNotices() {
  const { data = [] } = useQuery(signInsQuery)
  return data
    .filter((place) => place.is_new && !place.current)
    .slice(0, 3)
    .map((place) => <SignInNotice key={place.id} place={place} />)
}

function SignInNotice({ place }: { readonly place: SignIn }) {
  const me = useMe()
  const { isDismissed, dismiss } = useDismissed(`sign-in.${place.id}`, me.id ?? '')
  if (isDismissed) return null
  return (
    <Banner
      tone="warn"
      action={
        <>
          <LinkButton to="/profile" hash="sign-ins" size="compact-xs" variant="default">
            {t('shell:sign_in_notice.review')}
          </LinkButton>
          <CloseButton size="sm" aria-label={t('shell:sign_in_notice.hide')} onClick={dismiss} />
        </>
      }
    >
      {tNode('shell:sign_in_notice.text', {
        device: describeAgent(place.user_agent),
        address: <span className="mono">{place.ip}</span>,
        time: <Time at={place.first_at} />,
      })}
    </Banner>
  )
}
