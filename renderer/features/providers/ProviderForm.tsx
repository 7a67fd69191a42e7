import { IconKeyOff } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { offlineProvider } from '../../../contract/models/models.ts'
import type { Provider } from '../../../contract/models/providers.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { draftName } from '../../lib/state/drafts.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { ApiKeyField } from './ApiKeyField.tsx'
import { bodyOf, dropsKey, rules, valuesOf } from './form.ts'
import { AddressField, CallFields, EnabledField, LabelField, LocalField } from './ProviderFields.tsx'
import styles from './providers.module.css'
import { updateCachedProvider } from './providers.queries.ts'

type Props = {
  readonly provider: Provider
  /** True if the form opens with the field for a new key. */
  readonly isReplacingKey?: boolean
  readonly onSaved: (message: string | null) => void
  readonly onClose: () => void
}

/** Differs from the draft of a new provider, because a provider may be named `new`. */
export const providerDraft = (name: string): string => draftName('provider', `name.${name}`)

/** A form for a provider's key, address, models and limits. */
export function ProviderForm({ provider, isReplacingKey = false, onSaved, onClose }: Props) {
  const queries = useQueryClient()
  const { name, label, default_base_url: builtIn } = provider
  const hasAddress = name !== offlineProvider
  return (
    <FormModal
      title={t('providers:form.title', { name: label })}
      initial={{ ...valuesOf(provider), ...(isReplacingKey && { key: 'replace' as const }) }}
      draft={providerDraft(name)}
      submitLabel={t('common:save')}
      size={560}
      rules={rules}
      onClose={onClose}
      onSubmit={async (values) => {
        const reply = await client.providers.update({ params: { name }, body: bodyOf(provider, values) })
        updateCachedProvider(queries, reply.data)
        onSaved(reply.message)
        toast(t(reply.key_tested === true ? 'providers:saved_tested' : 'providers:saved', { name: label }))
      }}
    >
      {(form) => (
        <>
          {!provider.built_in && <LabelField form={form} />}
          {hasAddress && <ApiKeyField provider={provider} form={form} />}
          {hasAddress && <AddressField form={form} builtIn={builtIn} />}
          {dropsKey(provider, form.getValues()) && (
            <div className={styles['warning']} role="status">
              <IconKeyOff size={16} />
              {t('providers:form.host_changed')}
            </div>
          )}
          {hasAddress && <LocalField form={form} />}
          <EnabledField form={form} />
          <CallFields form={form} listId={`models-of-${name}`} />
        </>
      )}
    </FormModal>
  )
}
