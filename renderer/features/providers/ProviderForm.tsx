import { Switch, Textarea, TextInput } from '@mantine/core'
import { IconKeyOff } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { offlineProvider } from '../../../contract/models/models.ts'
import type { Provider } from '../../../contract/models/providers.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { bodyOf, dropsKey, modelsIn, rules, valuesOf } from './form.ts'
import { KeyField } from './KeyField.tsx'
import styles from './providers.module.css'
import { updateCachedProvider } from './providers.queries.ts'

type Props = {
  readonly provider: Provider
  readonly onSaved: (message: string | null) => void
  readonly onClose: () => void
}

const helpBelow = ['label', 'input', 'description', 'error'] as (
  | 'label'
  | 'input'
  | 'description'
  | 'error'
)[]

/** A form for a provider's key, address, models and limits. */
export function ProviderForm({ provider, onSaved, onClose }: Props) {
  const queries = useQueryClient()
  const { name, label, default_base_url: builtIn } = provider
  const hasAddress = name !== offlineProvider
  const listId = `models-of-${name}`
  return (
    <FormModal
      title={t('providers:form.title', { name: label })}
      initial={valuesOf(provider)}
      submitLabel={t('common:save')}
      size={560}
      rules={rules}
      onClose={onClose}
      onSubmit={async (values) => {
        const reply = await client.providers.update({ params: { name }, body: bodyOf(provider, values) })
        updateCachedProvider(queries, reply.data)
        onSaved(reply.message)
        toast(t('providers:saved', { name: label }))
      }}
    >
      {(form) => (
        <>
          {hasAddress && <KeyField provider={provider} form={form} />}
          {hasAddress && (
            <TextInput
              {...form.getInputProps('base_url')}
              label={t('providers:form.address')}
              description={
                builtIn === null
                  ? t('providers:form.address_help_none')
                  : t('providers:form.address_help', { url: builtIn })
              }
              inputWrapperOrder={helpBelow}
              placeholder={builtIn ?? undefined}
              classNames={{ input: 'mono' }}
              maxLength={2048}
              autoComplete="off"
              spellCheck={false}
            />
          )}
          {dropsKey(provider, form.getValues()) && (
            <div className={styles['warning']} role="status">
              <IconKeyOff size={16} />
              {t('providers:form.host_changed')}
            </div>
          )}
          {hasAddress && (
            <Switch
              {...form.getInputProps('local', { type: 'checkbox' })}
              label={t('providers:form.local')}
              description={t('providers:form.local_help')}
            />
          )}
          <Switch
            {...form.getInputProps('enabled', { type: 'checkbox' })}
            label={t('providers:form.enabled')}
            description={t('providers:form.enabled_help')}
          />
          <Textarea
            {...form.getInputProps('models')}
            label={t('providers:form.models')}
            description={t('providers:form.models_help')}
            inputWrapperOrder={helpBelow}
            classNames={{ input: 'mono' }}
            rows={5}
            spellCheck={false}
          />
          <TextInput
            {...form.getInputProps('default_model')}
            label={t('providers:form.default')}
            description={t('providers:form.default_help')}
            inputWrapperOrder={helpBelow}
            classNames={{ input: 'mono' }}
            list={listId}
            maxLength={128}
            autoComplete="off"
            spellCheck={false}
          />
          <datalist id={listId}>
            {modelsIn(form.getValues().models).map((model) => (
              <option key={model} value={model} />
            ))}
          </datalist>
          <TextInput
            {...form.getInputProps('concurrency')}
            label={t('providers:form.concurrency')}
            description={t('providers:form.concurrency_help')}
            inputWrapperOrder={helpBelow}
            inputMode="numeric"
            maxLength={4}
            autoComplete="off"
          />
        </>
      )}
    </FormModal>
  )
}
