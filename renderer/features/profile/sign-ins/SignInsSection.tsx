import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { SignIn } from '../../../../contract/accounts/sign-ins.ts'
import { t } from '../../../lib/i18n.ts'
import { describeAgent } from '../../../lib/session/userAgent.ts'
import { signInsQuery } from '../../../shared/access/signIns.ts'
import { Badge } from '../../../ui/display/Badge.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import styles from '../../../ui/list/ItemList.module.css'
import { Section } from '../../../ui/page/Section.tsx'

/** The devices and addresses from which the user signed in. The hash `sign-ins` scrolls to it. */
export function SignInsSection() {
  const { data, error, refetch } = useQuery(signInsQuery)
  const isTarget = useLocation({ select: (location) => location.hash === 'sign-ins' })
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isTarget && data !== undefined) element.current?.scrollIntoView({ block: 'start' })
  }, [isTarget, data])
  return (
    <div ref={element}>
      <Section title={t('profile:sign_ins.title')}>
        {data !== undefined ? (
          <SignInList signIns={data} />
        ) : error === null ? (
          <Skeleton height={44} />
        ) : (
          <ErrorState error={error} onRetry={() => void refetch()} />
        )}
        <Text size="xs" c="dimmed" mt="xs">
          {t('profile:sign_ins.help')}
        </Text>
      </Section>
    </div>
  )
}

function SignInList({ signIns }: { readonly signIns: readonly SignIn[] }) {
  if (signIns.length === 0) return <div className="dimmed">{t('profile:sign_ins.none')}</div>
  return (
    <ul className={styles['list']}>
      {signIns.map((place) => (
        <li key={place.id} className={styles['item']}>
          <div className={styles['text']}>
            <div className={styles['line']}>
              <span className="truncate" title={place.user_agent}>
                {describeAgent(place.user_agent)}
              </span>
              {place.current && <Badge tone="ok">{t('profile:sign_ins.current')}</Badge>}
              {place.is_new && <Badge tone="warn">{t('profile:sign_ins.new')}</Badge>}
            </div>
            <div className={styles['facts']}>
              <span className="mono">{place.ip}</span> · {t(`profile:sign_ins.method.${place.method}`)} ·{' '}
              {t('profile:sign_ins.count', { count: place.count })}, {t('profile:sign_ins.last')}{' '}
              <Time at={place.last_at} />
            </div>
          </div>
        </li>
      ))}
    </ul>
  )
}
