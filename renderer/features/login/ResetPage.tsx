import './login.texts.ts'
import { Alert, Button, Paper, Skeleton, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { asApiError, client, fieldErrors } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { deviceHeaders } from '../../lib/session/device.ts'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'
import { Centred } from '../../ui/page/Centred.tsx'

const minPasswordLength = 8

/** The page of a one-time link. Its token is in the fragment, which browsers do not send to the service. */
export function ResetPage() {
  const hash = useLocation({ select: (location) => location.hash })
  const navigate = useNavigate()
  const [token, setToken] = useState(hash)
  useEffect(() => {
    if (hash === '') return
    setToken(hash)
    // The token must not remain in the address bar or in the history.
    void navigate({ to: '/reset', hash: '', replace: true })
  }, [hash, navigate])
  useEffect(() => {
    document.title = t('common:page_title', { page: t('login:reset.title') })
  }, [])
  return (
    <Centred title={t('login:reset.title')}>
      {token === '' ? (
        <Alert color="red" variant="light" role="alert">
          {t('login:reset.missing')}
        </Alert>
      ) : (
        <LinkForm key={token} token={token} />
      )}
    </Centred>
  )
}

function LinkForm({ token }: { readonly token: string }) {
  const [doneFor, setDoneFor] = useState<string | null>(null)
  const link = useQuery({
    queryKey: ['password-link', token],
    queryFn: async ({ signal }) =>
      (await client.passwordLinks.check({ body: { token } }, { signal, headers: deviceHeaders() })).data,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  })
  if (doneFor !== null) {
    return (
      <Paper withBorder p="xl">
        <Stack gap="lg">
          <Text size="sm" role="status">
            {tNode('login:reset.done', { name: <b>{doneFor}</b> })}
          </Text>
          <LinkButton to="/login">{t('login:reset.sign_in')}</LinkButton>
        </Stack>
      </Paper>
    )
  }
  if (link.error !== null) {
    return (
      <Alert color="red" variant="light" role="alert" title={t('login:reset.failed')}>
        {asApiError(link.error)?.message ?? t('common:error.unknown')}
      </Alert>
    )
  }
  if (link.data === undefined) return <Skeleton height={280} />
  return (
    <>
      <Text size="sm" c="dimmed">
        {tNode('login:reset.text', {
          name: <b>{link.data.username}</b>,
          time: <Time at={link.data.expires_at} />,
        })}
      </Text>
      <Paper withBorder p="xl">
        <NewPasswordForm token={token} onDone={setDoneFor} />
      </Paper>
    </>
  )
}

type FormProps = { readonly token: string; readonly onDone: (username: string) => void }

function NewPasswordForm({ token, onDone }: FormProps) {
  const form = useForm({
    initialValues: { new_password: '', repeated: '' },
    validate: {
      new_password: (value) => (value.length < minPasswordLength ? t('login:reset.short') : null),
      repeated: (value, values) => (value === values.new_password ? null : t('login:reset.differs')),
    },
  })
  const redeem = useFormMutation({
    mutationFn: ({ new_password }: { new_password: string }) =>
      client.passwordLinks.redeem({ body: { token, new_password } }, { headers: deviceHeaders() }),
    onSuccess: ({ username }) => onDone(username),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const isShownAtField = Object.keys(fieldErrors(redeem.error)).length > 0
  return (
    <form onSubmit={form.onSubmit((values) => redeem.mutate(values))} noValidate>
      <Stack gap="lg">
        <PasswordInput
          {...form.getInputProps('new_password')}
          label={t('login:reset.new')}
          description={t('login:reset.help')}
          autoComplete="new-password"
          maxLength={256}
          autoFocus
        />
        <PasswordInput
          {...form.getInputProps('repeated')}
          label={t('login:reset.repeat')}
          autoComplete="new-password"
          maxLength={256}
        />
        {redeem.error !== null && !isShownAtField && <FormFailure error={redeem.error} />}
        <Button type="submit" loading={redeem.isPending}>
          {t('login:reset.submit')}
        </Button>
      </Stack>
    </form>
  )
}
