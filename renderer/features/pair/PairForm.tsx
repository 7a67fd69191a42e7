import { Alert, Button, Paper, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import { useState } from 'react'
import { codeLength, normalizeCode } from '../../../contract/accounts/pairing.ts'
import { t } from '../../lib/i18n.ts'
import { asApiError, client, fieldErrors } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { describeAgent } from '../../lib/session/userAgent.ts'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'
import styles from './pair.module.css'
import type { Pending } from './pendingRequest.ts'

type Account = 'new' | 'existing'
type Values = {
  code: string
  device: string
  account: Account
  username: string
  password: string
  second_factor_code: string
}

type Props = {
  /** The secret of the QR code; null if the code must be typed. */
  readonly secret: string | null
  /** Called if the secret of the QR code is not valid any more. */
  readonly onSecretRefused: () => void
  readonly onAsked: (pending: Pending) => void
}

const minPasswordLength = 8

const initialValues: Values = {
  code: '',
  device: describeAgent(navigator.userAgent).slice(0, 64),
  account: 'new',
  username: '',
  password: '',
  second_factor_code: '',
}

const rules = (secret: string | null) => ({
  code: (code: string) =>
    secret === null && normalizeCode(code).length !== codeLength ? t('pair:code_missing') : null,
  device: (device: string) => (device.trim() === '' ? t('pair:device_missing') : null),
  username: (username: string) => (username.trim() === '' ? t('pair:username_missing') : null),
  password: (password: string, { account }: Values) => {
    if (account === 'existing') return password === '' ? t('pair:password_missing') : null
    return password.length < minPasswordLength ? t('pair:password_short') : null
  },
})

/** The form with which a new device requests access: code, name of the device, and account. */
export function PairForm({ secret, onSecretRefused, onAsked }: Props) {
  const form = useForm<Values>({ initialValues, validate: rules(secret) })
  const [needsSecondFactor, setNeedsSecondFactor] = useState(false)
  const ask = useFormMutation({
    mutationFn: ({ code, device, account, username, password, second_factor_code }: Values) =>
      client.pairing.pair({
        body: {
          ...(secret === null ? { code } : { secret }),
          name: device,
          kind: 'browser',
          account,
          username,
          password,
          ...(needsSecondFactor && second_factor_code !== '' && { second_factor_code }),
        },
      }),
    onSuccess: onAsked,
    onError: (error) => {
      const { name: device, ...fields } = fieldErrors(error)
      if (fields['second_factor_code'] !== undefined) setNeedsSecondFactor(true)
      form.setErrors({ ...fields, ...(device !== undefined && { device }) })
      if (asApiError(error)?.problem?.code === 'pairing.wrong_code' && secret !== null) onSecretRefused()
    },
  })
  return (
    <Paper withBorder p="lg">
      <form onSubmit={form.onSubmit((values) => ask.mutate(values))} noValidate>
        <Stack gap="md">
          {secret === null && (
            <TextInput
              {...form.getInputProps('code')}
              className={styles['code'] ?? ''}
              label={t('pair:code')}
              description={t('pair:code_help')}
              maxLength={12}
              autoComplete="one-time-code"
              autoCapitalize="characters"
              spellCheck={false}
              autoFocus
            />
          )}
          <TextInput {...form.getInputProps('device')} label={t('pair:device')} maxLength={64} />
          <SegmentedControl
            {...form.getInputProps('account')}
            aria-label={t('pair:account')}
            fullWidth
            data={[
              { value: 'new', label: t('pair:new') },
              { value: 'existing', label: t('pair:existing') },
            ]}
          />
          <Credentials form={form} />
          {needsSecondFactor && (
            <TextInput
              {...form.getInputProps('second_factor_code')}
              label={t('pair:second_factor_code')}
              description={t('pair:second_factor_code_help')}
              autoComplete="one-time-code"
              maxLength={64}
            />
          )}
          {ask.error !== null && Object.keys(fieldErrors(ask.error)).length === 0 && (
            <Alert color="red" variant="light" role="alert">
              {asApiError(ask.error)?.message ?? t('common:error.unknown')}
            </Alert>
          )}
          <Button type="submit" size="md" loading={ask.isPending}>
            {t('pair:ask')}
          </Button>
        </Stack>
      </form>
    </Paper>
  )
}

type Fields = Pick<UseFormReturnType<Values>, 'values' | 'getInputProps'>

function Credentials({ form }: { readonly form: Fields }) {
  const isNew = form.values.account === 'new'
  return (
    <>
      <TextInput
        {...form.getInputProps('username')}
        label={t('pair:username')}
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
      />
      <PasswordInput
        {...form.getInputProps('password')}
        label={t('pair:password')}
        description={isNew ? t('pair:password_help') : undefined}
        autoComplete={isNew ? 'new-password' : 'current-password'}
        maxLength={256}
      />
    </>
  )
}
