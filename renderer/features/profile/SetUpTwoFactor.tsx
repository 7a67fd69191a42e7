import { Alert, Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { lazy, Suspense, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { asApiError, client, fieldErrors } from '../../lib/service/api.ts'
import { useFormMutation } from '../../lib/service/useFormMutation.ts'
import { FormFailure } from '../../ui/dialog/FormFailure.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'
import styles from './profile.module.css'
import { RecoveryCodes } from './RecoveryCodes.tsx'

const QrCode = lazy(() =>
  import('../../ui/display/qr/QrCode.tsx').then((module) => ({ default: module.QrCode })),
)

/** A secret that no code has confirmed yet. */
type Setup = { readonly setup: string; readonly secret: string; readonly uri: string }

type Props = {
  /** Called once it is on, while the recovery codes are shown. */
  readonly onTurnedOn?: () => void
  /** Called when the user has saved the recovery codes. */
  readonly onDone: () => void
}

/** The steps to turn on two-factor authentication: password, code from the app, recovery codes. */
export function SetUpTwoFactor({ onTurnedOn, onDone }: Props) {
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  if (codes !== null) return <RecoveryCodes codes={codes} onDone={onDone} />
  if (setup === null) return <PasswordStep onStarted={setSetup} />
  return (
    <AppStep
      setup={setup}
      onRestart={() => setSetup(null)}
      onConfirmed={(newCodes) => {
        setCodes(newCodes)
        onTurnedOn?.()
      }}
    />
  )
}

function PasswordStep({ onStarted }: { readonly onStarted: (setup: Setup) => void }) {
  const form = useForm({
    initialValues: { current_password: '' },
    validate: {
      current_password: (value) => (value === '' ? t('profile:password_dialog.missing') : null),
    },
  })
  const start = useFormMutation({
    mutationFn: async (body: { current_password: string }) =>
      (await client.secondFactor.start({ body })).data,
    onSuccess: onStarted,
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const isShownAtField = Object.keys(fieldErrors(start.error)).length > 0
  return (
    <form onSubmit={form.onSubmit((values) => start.mutate(values))} noValidate>
      <Stack gap="lg">
        <PasswordInput
          {...form.getInputProps('current_password')}
          label={t('profile:password_dialog.label')}
          description={t('profile:password_dialog.help')}
          autoComplete="current-password"
          maxLength={1024}
          data-autofocus
        />
        {start.error !== null && !isShownAtField && <FormFailure error={start.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={start.isPending}>
            {t('profile:second_factor.continue')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type AppStepProps = {
  readonly setup: Setup
  readonly onRestart: () => void
  readonly onConfirmed: (codes: readonly string[]) => void
}

function AppStep({ setup: { setup, secret, uri }, onRestart, onConfirmed }: AppStepProps) {
  const form = useForm({
    initialValues: { code: '' },
    validate: {
      code: (value) => (/^\s*(?:\d\s*){6}$/.test(value) ? null : t('profile:second_factor.code_missing')),
    },
  })
  const confirm = useFormMutation({
    mutationFn: ({ code }: { code: string }) => client.secondFactor.confirm({ body: { setup, code } }),
    onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes),
    onError: (error) => form.setErrors(fieldErrors(error)),
  })
  const problem = asApiError(confirm.error)?.problem
  const isShownAtField = Object.keys(fieldErrors(confirm.error)).length > 0
  return (
    <form onSubmit={form.onSubmit((values) => confirm.mutate(values))} noValidate>
      <Stack gap="lg">
        <Text size="sm">{t('profile:second_factor.scan')}</Text>
        <Suspense fallback={<Skeleton width={192} height={192} />}>
          <QrCode text={uri} label={t('profile:second_factor.qr')} />
        </Suspense>
        <div>
          <Text size="sm">{t('profile:second_factor.manual')}</Text>
          <Group gap={4} wrap="nowrap">
            <code className={styles['key']}>{secret.match(/.{4}/g)?.join(' ')}</code>
            <CopyButton value={secret} />
          </Group>
        </div>
        <TextInput
          {...form.getInputProps('code')}
          label={t('profile:second_factor.code')}
          autoComplete="one-time-code"
          inputMode="numeric"
          classNames={{ input: 'mono' }}
          maxLength={16}
          autoFocus
        />
        {confirm.error !== null && !isShownAtField && (
          <Alert color="red" variant="light" role="alert">
            {problem?.detail ?? t('common:error.unknown')}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onRestart}>
            {t('profile:second_factor.start_again')}
          </Button>
          <Button type="submit" loading={confirm.isPending}>
            {t('profile:second_factor.confirm')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
