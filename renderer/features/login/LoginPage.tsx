import './login.texts.ts'
import { Code, Paper, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { safeReturnPath } from '../../lib/page/address.ts'
import { pairedApp } from '../../lib/page/desktop.ts'
import { healthQuery } from '../../lib/service/health.ts'
import { session } from '../../lib/session/session.ts'
import { Centred } from '../../ui/page/Centred.tsx'
import { CodeStep } from './CodeStep.tsx'
import { DeviceStep } from './DeviceStep.tsx'
import { PasskeyButton } from './PasskeyButton.tsx'
import { type Challenge, PasswordStep } from './PasswordStep.tsx'

/** The sign-in page. Names the default credentials while the service reports that they are active. */
export function LoginPage() {
  const navigate = useNavigate()
  const token = useSyncExternalStore(session.subscribe, session.token)
  const search = useSearch({ from: '/login' })
  const [reason] = useState(session.get().reason)
  const [challenge, setChallenge] = useState<Challenge | null>(null)
  const [notice, setNotice] = useState<string | null>(null)
  const health = useQuery(healthQuery)
  // The token comes from the form, or from another tab.
  useEffect(() => {
    if (token !== null) void navigate({ href: safeReturnPath(search.return), replace: true })
  }, [token, navigate, search.return])
  useEffect(() => {
    document.title = t('common:page_title', { page: t('login:title') })
  }, [])
  const goBack = (why: string | null): void => {
    setNotice(why)
    setChallenge(null)
  }
  return (
    <Centred title={t('common:product')}>
      {reason === 'expired' && <Text size="sm">{t('login:expired')}</Text>}
      {reason === 'signed_out' && <Text size="sm">{t('login:signed_out')}</Text>}
      <Paper withBorder p="xl">
        {pairedApp !== null ? (
          <DeviceStep app={pairedApp} />
        ) : challenge === null ? (
          <Stack gap="lg">
            <PasswordStep onChallenge={setChallenge} notice={notice} />
            <PasskeyButton />
          </Stack>
        ) : (
          <CodeStep challenge={challenge} onBack={goBack} />
        )}
      </Paper>
      {health.data?.defaults?.password === true && (
        <Text size="sm" c="dimmed" ta="center" data-testid="defaults-hint">
          {tNode('login:defaults', { user: <Code>admin</Code>, password: <Code>admin</Code> })}
        </Text>
      )}
    </Centred>
  )
}
