import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Environment } from '../../../../contract/live.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { KeyField } from '../../../shared/keys/KeyField.tsx'
import { WorkspaceField } from '../../../shared/workspaces/WorkspaceField.tsx'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { refreshPrompts } from '../prompts.queries.ts'
import type { Subject } from '../usePromptActions.tsx'
import { EnvField } from './EnvField.tsx'

type Values = { key: string; name: string; env: Environment; workspace_id: string }
type Props = { readonly prompt: Subject; readonly onClose: () => void }

/** A form that copies a prompt as a draft under another key, environment or workspace. */
export function DuplicateForm({ prompt, onClose }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const initial: Values = {
    key: `${prompt.key}-copy`,
    name: prompt.name,
    env: prompt.env,
    workspace_id: prompt.workspace_id,
  }
  const save = async (values: Values): Promise<void> => {
    const { data } = await client.prompts.duplicate({ params: { id: prompt.id }, body: values })
    await refreshPrompts(queries)
    toast(t('prompts:duplicate.done', { key: data.key }))
    void navigate({ to: '/prompts/$id', params: { id: data.id } })
  }
  return (
    <FormModal
      title={t('prompts:duplicate.title', { key: prompt.key })}
      initial={initial}
      submitLabel={t('prompts:duplicate.action')}
      onSubmit={save}
      onClose={onClose}
      problemFields={{ 'prompt.key_taken': 'key' }}
      rules={{ key: (value) => (value.trim() === '' ? t('prompts:form.key_missing') : null) }}
    >
      {(form) => (
        <>
          <KeyField
            label={t('prompts:field.key')}
            help={t('prompts:duplicate.help')}
            input={form.getInputProps('key')}
          />
          <TextInput {...form.getInputProps('name')} label={t('prompts:field.name')} maxLength={200} />
          <EnvField label={t('prompts:field.env')} input={form.getInputProps('env')} />
          <WorkspaceField
            label={t('prompts:field.workspace')}
            input={form.getInputProps('workspace_id')}
            current={form.values.workspace_id}
          />
        </>
      )}
    </FormModal>
  )
}
