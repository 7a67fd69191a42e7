import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { GatewayField, type GatewayUse, gatewayFields, gatewayUseOf } from './GatewayField.tsx'

type Values = { use: GatewayUse; cache: string }

/** A number of seconds, up to a day; empty for no cache. */
const isCacheTime = (text: string): boolean =>
  text.trim() === '' || (/^\d{1,5}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 86_400)

type Props = { readonly token: ApiToken; readonly onClose: () => void }

/** A dialog that allows a token to use the gateway, or ends it. */
export function TokenGateway({ token, onClose }: Props) {
  const queries = useQueryClient()
  const save = async ({ use, cache }: Values): Promise<void> => {
    const cache_seconds = use === 'provider_key' && cache.trim() !== '' ? Number(cache) : null
    await client.tokens.update({ params: { id: token.id }, body: { ...gatewayFields(use), cache_seconds } })
    await invalidateEntities(queries, 'token', 'audit')
    toast(t('tokens:decided', { name: token.name }))
  }
  return (
    <FormModal<Values>
      title={t('tokens:gateway_title', { name: token.name })}
      initial={{ use: gatewayUseOf(token), cache: String(token.cache_seconds ?? '') }}
      rules={{ cache: (cache) => (isCacheTime(cache) ? null : t('tokens:cache_invalid')) }}
      submitLabel={t('common:save')}
      onSubmit={save}
      onClose={onClose}
    >
      {(form) => (
        <>
          <GatewayField value={form.values.use} onChange={(use) => form.setFieldValue('use', use)} />
          {form.values.use === 'provider_key' && (
            <TextInput
              {...form.getInputProps('cache')}
              label={t('tokens:cache')}
              description={t('tokens:cache_help')}
              placeholder={t('tokens:cache_off')}
              inputMode="numeric"
              maxLength={5}
            />
          )}
        </>
      )}
    </FormModal>
  )
}
