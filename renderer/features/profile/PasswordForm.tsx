import { Alert, Button, Group, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { asApiError, client, fieldErrors, invalidateEntities } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { session } from '../../lib/session/session.ts'
import { toast } from '../../ui/feedback/toast.ts'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'

type Values = { current_password: string; new_password: string; repeated: string }
const empty: Values = { current_password: '', new_password: '', repeated: '' }
const minPasswordLength = 8

/** Returns the errors of the reply, by field. */
const errorsOf = (error: unknown): Record<string, string> =>
  asApiError(error)?.problem?.code === 'auth.invalid_credentials'
    ? { current_password: t('profile:password.current_wrong') }
    : fieldErrors(error)

/** A form for the user's own password. A change ends all other sessions of the user. */
export function PasswordForm({ onDone }: { readonly onDone?: () => void }) {
  const queries = useQueryClient()
  const form = useForm<Values>({
    initialValues: empty,
    validate: {
      current_password: (value) => (value === '' ? t('profile:password.current_missing') : null),
      new_password: (value) => (value.length < minPasswordLength ? t('profile:password.short') : null),
      repeated: (value, values) => (value === values.new_password ? null : t('profile:password.differs')),
    },
  })
  const change = useFormMutation({
    mutationFn: ({ current_password, new_password }: Values) =>
      client.auth.changePassword({ body: { current_password, new_password } }),
    onSuccess: async ({ token }) => {
      session.replace(token)
      form.reset()
      await invalidateEntities(queries, 'me', 'session', 'health')
      toast(t('profile:password.done'))
      onDone?.()
    },
    onError: (error) => form.setErrors(errorsOf(error)),
  })
  const isShownAtField = Object.keys(errorsOf(change.error)).length > 0
  return (
    <form onSubmit={form.onSubmit((values) => change.mutate(values))} noValidate>
      <Stack gap="lg">
        <PasswordInput
          {...form.getInputProps('current_password')}
          label={t('profile:password.current')}
          autoComplete="current-password"
          maxLength={1024}
        />
        <PasswordInput
          {...form.getInputProps('new_password')}
          label={t('profile:password.new')}
          description={t('profile:password.help')}
          autoComplete="new-password"
          maxLength={256}
        />
        <PasswordInput
          {...form.getInputProps('repeated')}
          label={t('profile:password.repeat')}
          autoComplete="new-password"
          maxLength={256}
        />
        {change.error !== null && !isShownAtField && (
          <Alert color="red" variant="light" role="alert">
            {asApiError(change.error)?.message ?? t('common:error.unknown')}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t('profile:password.change')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
