import { Alert, Button, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { t } from '../../lib/i18n.ts'
import { asApiError, client } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { deviceHeaders } from '../../lib/session/device.ts'
import { session } from '../../lib/session/session.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'
import { useCountdown } from './useCountdown.ts'

/** A sign-in that a code completes. */
export type Challenge = { readonly value: string; readonly username: string }

type Props = {
  readonly onChallenge: (challenge: Challenge) => void
  /** The reason to enter the password again; null at first. */
  readonly notice: string | null
}

export function PasswordStep({ onChallenge, notice }: Props) {
  const wait = useCountdown()
  const form = useForm({
    initialValues: { username: '', password: '' },
    validate: {
      username: (value) => (value.trim() === '' ? t('login:username_missing') : null),
      password: (value) => (value === '' ? t('login:password_missing') : null),
    },
  })
  const signIn = useFormMutation({
    mutationFn: (body: { username: string; password: string }) =>
      client.auth.login({ body }, { headers: deviceHeaders() }),
    onSuccess: ({ token }) => session.signIn(token),
    onError: (error, { username }) => {
      const problem = asApiError(error)?.problem
      if (problem?.code === 'auth.second_factor_required' && problem.challenge !== undefined) {
        onChallenge({ value: problem.challenge, username })
        return
      }
      form.setFieldValue('password', '')
      document.getElementById('password')?.focus()
      wait.start(problem?.retry_after)
    },
  })
  const message =
    signIn.error === null ? notice : (asApiError(signIn.error)?.message ?? t('common:error.unknown'))
  return (
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
        {message !== null && (
          <Alert color="red" variant="light" role="alert">
            {message}
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
  )
}
