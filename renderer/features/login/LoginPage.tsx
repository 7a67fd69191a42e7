import './login.texts.ts'
import { Alert, Button, Code, Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { safeReturnPath } from '../../lib/page/address.ts'
import { asApiError, client } from '../../lib/service/api.ts'
import { healthQuery } from '../../lib/service/health.ts'
import { deviceHeaders } from '../../lib/session/device.ts'
import { session } from '../../lib/session/session.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Centred } from '../../ui/page/Centred.tsx'
import { useCountdown } from './useCountdown.ts'

/** The sign-in page. Names the default credentials while the service reports that they are active. */
export function LoginPage() {
  const navigate = useNavigate()
  const token = useSyncExternalStore(session.subscribe, session.token)
  const search = useSearch({ from: '/login' })
  const [reason] = useState(session.get().reason)
  const health = useQuery(healthQuery)
  const wait = useCountdown()
  const form = useForm({
    initialValues: { username: '', password: '' },
    validate: {
      username: (value) => (value.trim() === '' ? t('login:username_missing') : null),
      password: (value) => (value === '' ? t('login:password_missing') : null),
    },
  })
  const signIn = useMutation({
    mutationFn: (body: { username: string; password: string }) =>
      client.auth.login({ body }, { headers: deviceHeaders() }),
    onSuccess: ({ token }) => session.signIn(token),
    onError: (error) => {
      form.setFieldValue('password', '')
      document.getElementById('password')?.focus()
      wait.start(asApiError(error)?.problem?.retry_after)
    },
  })
  // The token comes from the form, or from another tab.
  useEffect(() => {
    if (token !== null) void navigate({ href: safeReturnPath(search.return), replace: true })
  }, [token, navigate, search.return])
  useEffect(() => {
    document.title = t('common:page_title', { page: t('login:title') })
  }, [])
  return (
    <Centred title={t('common:product')}>
      {reason === 'expired' && <Text size="sm">{t('login:expired')}</Text>}
      {reason === 'signed_out' && <Text size="sm">{t('login:signed_out')}</Text>}
      <Paper withBorder p="xl">
        <form onSubmit={form.onSubmit((values) => signIn.mutate(values))} noValidate>
          <Stack gap="lg">
            <TextInput
              {...form.getInputProps('username')}
              label={t('login:username')}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              autoFocus
            />
            <PasswordInput
              {...form.getInputProps('password')}
              id="password"
              label={t('login:password')}
              autoComplete="current-password"
            />
            {signIn.error !== null && (
              <Alert color="red" variant="light" role="alert">
                {asApiError(signIn.error)?.message ?? t('common:error.unknown')}
                {wait.seconds > 0 && ` ${t('login:wait', { count: wait.seconds })}`}
              </Alert>
            )}
            {asApiError(signIn.error)?.problem?.code === 'auth.device_required' && (
              <LinkButton variant="default" to="/pair">
                {t('login:pair')}
              </LinkButton>
            )}
            <Button type="submit" size="sm" loading={signIn.isPending} disabled={wait.seconds > 0}>
              {t('login:sign_in')}
            </Button>
          </Stack>
        </form>
      </Paper>
      {health.data?.defaults?.password === true && (
        <Text size="sm" c="dimmed" ta="center" data-testid="defaults-hint">
          {tNode('login:defaults', { user: <Code>admin</Code>, password: <Code>admin</Code> })}
        </Text>
      )}
    </Centred>
  )
}
