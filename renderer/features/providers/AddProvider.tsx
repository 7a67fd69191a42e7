import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { ApiKeyField } from './ApiKeyField.tsx'
import { createBodyOf, newRules, newValues } from './form.ts'
import { AddressField, CallFields, EnabledField, LabelField, LocalField } from './ProviderFields.tsx'

const noKey = { has_key: false, key_hint: null, needs_key: false, key_problem: null }

/** A form for a provider with the protocol of OpenAI and a name of its own. */
export function AddProvider({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  return (
    <FormModal
      title={t('providers:add.title')}
      initial={newValues}
      submitLabel={t('providers:add.submit')}
      size={560}
      rules={newRules}
      problemFields={{ 'provider.name_taken': 'name' }}
      onClose={onClose}
      onSubmit={async (values) => {
        const { data, message } = await client.providers.create({ body: createBodyOf(values) })
        await invalidateEntities(queries, 'provider', 'audit')
        const added = t('providers:add.done', { name: data.label })
        toast(message === null ? added : `${added} ${message}`)
      }}
    >
      {(form) => (
        <>
          <p className="dimmed">{t('providers:add.text')}</p>
          <LabelField form={form} hasFocus />
          <TextInput
            {...form.getInputProps('name')}
            label={t('providers:form.name')}
            description={t('providers:form.name_help')}
            classNames={{ input: 'mono' }}
            maxLength={64}
            autoComplete="off"
            spellCheck={false}
          />
          <AddressField form={form} builtIn={null} />
          <LocalField form={form} />
          <ApiKeyField provider={noKey} form={form} hasFocus={false} />
          <EnabledField form={form} />
          <CallFields form={form} listId="models-of-new-provider" />
        </>
      )}
    </FormModal>
  )
}
