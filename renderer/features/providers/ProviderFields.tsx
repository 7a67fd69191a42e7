import { Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { t } from '../../lib/i18n.ts'
import { Textarea } from '../../ui/input/Textarea.tsx'
import { modelsIn, type ProviderValues } from './form.ts'

type FormProps = { readonly form: UseFormReturnType<ProviderValues> }

/** The field for the name that people read. */
export const LabelField = ({ form, hasFocus = false }: FormProps & { readonly hasFocus?: boolean }) => (
  <TextInput
    {...form.getInputProps('label')}
    label={t('providers:form.label')}
    description={t('providers:form.label_help')}
    maxLength={64}
    autoComplete="off"
    {...(hasFocus && { 'data-autofocus': true })}
  />
)

type AddressProps = FormProps & {
  /** The address that applies if the field is empty; null if there is none. */
  readonly builtIn: string | null
}

export const AddressField = ({ form, builtIn }: AddressProps) => (
  <TextInput
    {...form.getInputProps('base_url')}
    label={t('providers:form.address')}
    description={
      builtIn === null
        ? t('providers:form.address_help_none')
        : t('providers:form.address_help', { url: builtIn })
    }
    placeholder={builtIn ?? undefined}
    classNames={{ input: 'mono' }}
    maxLength={2048}
    autoComplete="off"
    spellCheck={false}
  />
)

export const LocalField = ({ form }: FormProps) => (
  <Switch
    {...form.getInputProps('local', { type: 'checkbox' })}
    label={t('providers:form.local')}
    description={t('providers:form.local_help')}
  />
)

export const EnabledField = ({ form }: FormProps) => (
  <Switch
    {...form.getInputProps('enabled', { type: 'checkbox' })}
    label={t('providers:form.enabled')}
    description={t('providers:form.enabled_help')}
  />
)

/** The models, the default model and the number of concurrent requests. */
export function CallFields({ form, listId }: FormProps & { readonly listId: string }) {
  return (
    <>
      <Textarea
        {...form.getInputProps('models')}
        label={t('providers:form.models')}
        description={t('providers:form.models_help')}
        classNames={{ input: 'mono' }}
        minRows={5}
        spellCheck={false}
      />
      <TextInput
        {...form.getInputProps('default_model')}
        label={t('providers:form.default')}
        description={t('providers:form.default_help')}
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
        inputMode="numeric"
        maxLength={5}
        autoComplete="off"
      />
    </>
  )
}
