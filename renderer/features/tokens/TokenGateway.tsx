import { useQueryClient } from '@tanstack/react-query'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { GatewayField, type GatewayUse, gatewayFields, gatewayUseOf } from './GatewayField.tsx'

type Props = { readonly token: ApiToken; readonly onClose: () => void }

/** A dialog that allows a token to use the gateway, or ends it. */
export function TokenGateway({ token, onClose }: Props) {
  const queries = useQueryClient()
  const save = async ({ use }: { readonly use: GatewayUse }): Promise<void> => {
    await client.tokens.update({ params: { id: token.id }, body: gatewayFields(use) })
    await Promise.all(['token', 'audit'].map((entity) => queries.invalidateQueries({ queryKey: [entity] })))
    toast(t('tokens:decided', { name: token.name }))
  }
  return (
    <FormModal<{ use: GatewayUse }>
      title={t('tokens:gateway_title', { name: token.name })}
      initial={{ use: gatewayUseOf(token) }}
      submitLabel={t('common:save')}
      onSubmit={save}
      onClose={onClose}
    >
      {(form) => <GatewayField value={form.values.use} onChange={(use) => form.setFieldValue('use', use)} />}
    </FormModal>
  )
}
