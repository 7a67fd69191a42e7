import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { t, tNode } from '../../lib/i18n.ts'
import { asApiError, client } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { deviceHeaders } from '../../lib/session/device.ts'
import { session } from '../../lib/session/session.ts'
import type { Challenge } from './PasswordStep.tsx'
import { useCountdown } from './useCountdown.ts'

type Props = {
  readonly challenge: Challenge
  /** `reason`: why the password is needed again; null if the user went back. */
  readonly onBack: (reason: string | null) => void
}

/** The form for the code of an authenticator app, or a recovery code. */
export function CodeStep({ challenge, onBack }: Props) {
  const [isRecovery, setRecovery] = useState(false)
  const wait = useCountdown()
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: (value) => (value.trim().length < 6 ? t('login:code.missing') : null) },
  })
  const signIn = useFormMutation({
    mutationFn: ({ code }: { code: string }) =>
      client.auth.login({ body: { challenge: challenge.value, code } }, { headers: deviceHeaders() }),
    onSuccess: ({ token }) => session.signIn(token),
    onError: (error) => {
      const problem = asApiError(error)?.problem
      if (problem?.code === 'auth.challenge_expired') return onBack(problem.detail)
      form.reset()
      document.getElementById('code')?.focus()
      wait.start(problem?.retry_after)
    },
  })
  const switchKind = (): void => {
    setRecovery(!isRecovery)
    signIn.reset()
    form.reset()
    document.getElementById('code')?.focus()
  }
  return (
    <form onSubmit={form.onSubmit((values) => signIn.mutate(values))} noValidate>
      <Stack gap="lg">
        <Text size="sm">
          {isRecovery
            ? t('login:code.recovery_text')
            : tNode('login:code.text', { name: <bdi>{challenge.username}</bdi> })}
        </Text>
        <TextInput
          {...form.getInputProps('code')}
          id="code"
          label={t(isRecovery ? 'login:code.recovery_label' : 'login:code.label')}
          autoComplete={isRecovery ? 'off' : 'one-time-code'}
          inputMode={isRecovery ? 'text' : 'numeric'}
          classNames={{ input: 'mono' }}
          maxLength={64}
          spellCheck={false}
          autoFocus
        />
        {signIn.error !== null && (
          <Alert color="red" variant="light" role="alert">
            {asApiError(signIn.error)?.message ?? t('common:error.unknown')}
            {wait.seconds > 0 && ` ${t('login:wait', { count: wait.seconds })}`}
          </Alert>
        )}
        <Button type="submit" size="sm" loading={signIn.isPending} disabled={wait.seconds > 0}>
          {t('login:code.submit')}
        </Button>
        <Stack gap="xs" align="flex-start">
          <Anchor component="button" type="button" size="sm" onClick={switchKind}>
            {t(isRecovery ? 'login:code.use_app' : 'login:code.use_recovery')}
          </Anchor>
          <Anchor component="button" type="button" size="sm" onClick={() => onBack(null)}>
            {t('login:code.back')}
          </Anchor>
          {isRecovery && (
            <Text size="xs" c="dimmed">
              {t('login:code.lost')}
            </Text>
          )}
        </Stack>
      </Stack>
    </form>
  )
}
