import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'

type Props = {
  readonly title: string
  readonly text: ReactNode
  readonly action: string
  /** Throws the service's error. */
  readonly run: (currentPassword: string) => Promise<unknown>
  readonly onClose: () => void
}

/** Dialog that asks for the current password before a change of how the user signs in. */
export function PasswordDialog({ title, text, action, run, onClose }: Props) {
  return (
    <FormModal
      title={title}
      initial={{ current_password: '' }}
      submitLabel={action}
      onSubmit={({ current_password }) => run(current_password)}
      onClose={onClose}
      problemFields={{ 'auth.invalid_credentials': 'current_password' }}
      rules={{
        current_password: (value) => (value === '' ? t('profile:password_dialog.missing') : null),
      }}
    >
      {(form) => (
        <>
          <Text size="sm">{text}</Text>
          <PasswordInput
            {...form.getInputProps('current_password')}
            label={t('profile:password_dialog.label')}
            autoComplete="current-password"
            maxLength={1024}
            data-autofocus
          />
        </>
      )}
    </FormModal>
  )
}
