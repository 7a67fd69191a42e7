import { Radio, Stack } from '@mantine/core'
import { offlineProvider } from '../../../../contract/models/models.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { useCreateDefinition } from '../../../shared/definitions/list/useCreateDefinition.ts'
import { ModelFields } from '../../../shared/models/ModelFields.tsx'
import { IdentityFields } from '../../../shared/resources/forms/IdentityFields.tsx'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import { PromptKeyField } from '../PromptKeyField.tsx'

type Values = {
  key: string
  name: string
  workspace_id: string
  from: 'prompt' | 'content'
  prompt_key: string
  content: string
  provider: string
  model: string | null
}
type Props = { readonly workspace: string | undefined; readonly onClose: () => void }

/** A form for a new agent: its text and its model. Everything else is edited on the agent's page. */
export function CreateAgent({ workspace, onClose }: Props) {
  const creating = useCreateDefinition('agent', workspace)
  const initial: Values = {
    ...creating.initial,
    from: 'prompt',
    prompt_key: '',
    content: '',
    provider: offlineProvider,
    model: null,
  }
  const save = async ({ from, prompt_key, content, name, provider, ...rest }: Values): Promise<void> => {
    const body = {
      ...rest,
      provider,
      ...(name.trim() === '' ? {} : { name }),
      ...(from === 'prompt' ? { prompt_key } : { content }),
    }
    const { data } = await client.agents.create({ body })
    await creating.open(data)
  }
  return (
    <FormModal
      {...creating.form}
      initial={initial}
      onSubmit={save}
      onClose={onClose}
      size={620}
      rules={{
        key: creating.keyRule,
        prompt_key: (value, { from }) =>
          from === 'prompt' && value.trim() === '' ? t('agents:form.prompt_missing') : null,
        content: (value, { from }) =>
          from === 'content' && value.trim() === '' ? t('agents:form.content_missing') : null,
      }}
    >
      {(form) => (
        <>
          <IdentityFields {...creating.identity} form={form} namePlaceholder={form.values.key} />
          <Radio.Group {...form.getInputProps('from')} label={t('agents:field.text')}>
            <Stack gap="sm" mt="sm">
              <Radio size="xs" value="prompt" label={t('agents:form.from_prompt')} />
              <Radio size="xs" value="content" label={t('agents:form.from_content')} />
            </Stack>
          </Radio.Group>
          {form.values.from === 'prompt' ? (
            <PromptKeyField
              value={form.values.prompt_key}
              onChange={(key) => form.setFieldValue('prompt_key', key)}
              workspace={form.values.workspace_id}
              error={form.errors['prompt_key']}
            />
          ) : (
            <Textarea
              {...form.getInputProps('content')}
              label={t('agents:field.content')}
              styles={{ input: { fontFamily: 'var(--pd-font-mono)', fontSize: 13 } }}
              minRows={4}
            />
          )}
          <ModelFields
            provider={form.values.provider}
            model={form.values.model}
            onChange={(patch) => form.setValues(patch)}
            fieldErrorOf={(path) => {
              const error = form.errors[path]
              return typeof error === 'string' ? error : undefined
            }}
          />
        </>
      )}
    </FormModal>
  )
}
