import { TextInput } from '@mantine/core'
import type { Passkey } from '../../../contract/accounts/passkeys.ts'
import { ApiError } from '../../../contract/client.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { createPasskey, isCancelled } from '../../lib/session/passkeys.ts'
import { describeAgent } from '../../lib/session/userAgent.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { PasswordInput } from '../../ui/input/PasswordInput.tsx'

const nameMissing = (value: string) => (value.trim() === '' ? t('profile:passkeys.name_missing') : null)
const maxNameLength = 64

/** Returns the error of the browser as one that a form displays. */
function readable(error: unknown): unknown {
  if (isCancelled(error)) return new ApiError(400, t('profile:passkeys.cancelled'), null)
  const exists = error instanceof Error && error.name === 'InvalidStateError'
  return exists ? new ApiError(400, t('profile:passkeys.exists'), null) : error
}

type AddProps = { readonly onAdded: () => Promise<unknown>; readonly onClose: () => void }

/** Dialog to add a passkey: the current password, then the dialog of the browser. */
export function AddPasskey({ onAdded, onClose }: AddProps) {
  const add = async (values: { name: string; current_password: string }): Promise<void> => {
    const { name, current_password } = values
    const options = await client.passkeys.createOptions({ body: { current_password } })
    const response = await createPasskey(options).catch((error: unknown) => {
      throw readable(error)
    })
    // The library's type of the reply differs from the contract only in optional fields.
    const body = { name, response: { ...response } } as Parameters<typeof client.passkeys.create>[0]['body']
    const { data } = await client.passkeys.create({ body })
    await onAdded()
    toast(t('profile:passkeys.added', { name: data.name }))
  }
  return (
    <FormModal
      title={t('profile:passkeys.add_title')}
      initial={{ name: describeAgent(navigator.userAgent).slice(0, maxNameLength), current_password: '' }}
      submitLabel={t('profile:passkeys.add')}
      onSubmit={add}
      onClose={onClose}
      problemFields={{ 'auth.invalid_credentials': 'current_password' }}
      rules={{
        name: nameMissing,
        current_password: (value) => (value === '' ? t('profile:password_dialog.missing') : null),
      }}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('name')}
            label={t('profile:passkeys.name')}
            description={t('profile:passkeys.name_help')}
            maxLength={maxNameLength}
          />
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

type RenameProps = {
  readonly passkey: Passkey
  readonly onRenamed: () => Promise<unknown>
  readonly onClose: () => void
}

export function RenamePasskey({ passkey, onRenamed, onClose }: RenameProps) {
  const rename = async ({ name }: { name: string }): Promise<void> => {
    const { data } = await client.passkeys.update({ params: { id: passkey.id }, body: { name } })
    await onRenamed()
    toast(t('profile:passkeys.renamed', { name: data.name }))
  }
  return (
    <FormModal
      title={t('profile:passkeys.rename_title', { name: passkey.name })}
      initial={{ name: passkey.name }}
      submitLabel={t('profile:passkeys.save')}
      onSubmit={rename}
      onClose={onClose}
      rules={{ name: nameMissing }}
    >
      {(form) => (
        <TextInput
          {...form.getInputProps('name')}
          label={t('profile:passkeys.name')}
          maxLength={maxNameLength}
          data-autofocus
        />
      )}
    </FormModal>
  )
}
