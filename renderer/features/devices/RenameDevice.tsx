import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Device } from '../../../contract/accounts/devices.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'

type Props = { readonly device: Device; readonly onClose: () => void }

export function RenameDevice({ device: { id, name: current }, onClose }: Props) {
  const queries = useQueryClient()
  const rename = async ({ name }: { name: string }): Promise<void> => {
    await client.devices.update({ params: { id }, body: { name } })
    await invalidateEntities(queries, 'device', 'session', 'audit')
    toast(t('devices:renamed'))
  }
  return (
    <FormModal<{ name: string }>
      title={t('devices:rename_title', { name: current })}
      initial={{ name: current }}
      submitLabel={t('devices:rename_action')}
      onSubmit={rename}
      onClose={onClose}
      rules={{ name: (name) => (name.trim() === '' ? t('devices:name_missing') : null) }}
    >
      {(form) => (
        <TextInput
          {...form.getInputProps('name')}
          label={t('devices:name')}
          maxLength={64}
          autoComplete="off"
          data-autofocus
        />
      )}
    </FormModal>
  )
}
