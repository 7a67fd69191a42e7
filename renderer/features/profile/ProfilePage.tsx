import './profile.texts.ts'
import { Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Session } from '../../../contract/accounts/session.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { useMe } from '../../lib/session/me.ts'
import { describeAgent } from '../../lib/session/userAgent.ts'
import { RoleBadge } from '../../shared/access/RoleBadge.tsx'
import { SessionList } from '../../shared/access/SessionList.tsx'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { Facts } from '../../ui/page/Facts.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { PasskeysSection } from './PasskeysSection.tsx'
import { PasswordForm } from './PasswordForm.tsx'
import styles from './profile.module.css'
import { ownSessionsQuery } from './profile.queries.ts'
import { SignInsSection } from './sign-ins/SignInsSection.tsx'
import { TwoFactorSection } from './TwoFactorSection.tsx'

/** The page of the signed-in user: account, credentials, sessions and sign-ins. */
export function ProfilePage() {
  const me = useMe()
  return (
    <Page>
      <PageHeader title={t('profile:title')} purpose={t('profile:purpose')} />
      <div className={styles['body']}>
        <Facts
          facts={[
            { label: t('profile:username'), value: <bdi>{me.username}</bdi> },
            { label: t('profile:role'), value: <RoleBadge role={me.role} /> },
            me.expires_at !== null && { label: t('profile:expires'), value: <Time at={me.expires_at} /> },
          ]}
        />
        {me.auth === 'session' ? (
          <>
            <Section title={t('profile:password.title')}>
              <div className={styles['password']}>
                <PasswordForm />
              </div>
            </Section>
            <TwoFactorSection />
            <PasskeysSection />
            <OwnSessions />
            <Section title={t('profile:devices.title')}>
              <LinkButton variant="default" size="xs" to="/devices" search={{ owner: 'me' }}>
                {t('profile:devices.show')}
              </LinkButton>
            </Section>
            <SignInsSection />
          </>
        ) : (
          <Text size="sm" c="dimmed">
            {t('profile:token_only')}
          </Text>
        )}
      </div>
    </Page>
  )
}

function OwnSessions() {
  const query = useQuery(ownSessionsQuery)
  const queries = useQueryClient()
  const others = (query.data ?? []).filter((session) => !session.current)

  const end = async (sessions: readonly Session[]): Promise<void> => {
    for (const session of sessions) await client.auth.revokeSession({ params: { id: session.id } })
    await queries.invalidateQueries({ queryKey: ['session'] })
    toast(t('profile:sessions.ended', { count: sessions.length }))
  }
  const askToEnd = (sessions: readonly Session[]): void => {
    const [first] = sessions
    if (first === undefined) return
    void confirm({
      title: t('profile:sessions.end_title', { count: sessions.length }),
      body: t('profile:sessions.end_body', {
        count: sessions.length,
        agent: describeAgent(first.user_agent),
        ip: first.ip,
      }),
      action: t('profile:sessions.end_action', { count: sessions.length }),
      isDangerous: true,
      run: () => end(sessions),
    })
  }

  return (
    <Section
      title={t('profile:sessions.title')}
      aside={
        others.length > 1 && (
          <Button variant="subtle" size="compact-xs" onClick={() => askToEnd(others)}>
            {t('profile:sessions.end_others')}
          </Button>
        )
      }
    >
      <SessionList
        sessions={query.data}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={t('profile:sessions.none')}
        onRevoke={(session) => askToEnd([session])}
      />
    </Section>
  )
}
