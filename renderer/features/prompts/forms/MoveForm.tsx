import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { t, tNode } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { WorkspaceField } from '../../../shared/workspaces/WorkspaceField.tsx'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { refreshPrompts } from '../prompts.queries.ts'
import type { Subject } from '../usePromptActions.tsx'

type Values = { workspace_id: string }
type Props = { readonly prompt: Subject; readonly onClose: () => void }

/** A form that moves a prompt to another workspace, where apps that name the old one no longer find it. */
export function MoveForm({ prompt, onClose }: Props) {
  const queries = useQueryClient()
  const save = async (values: Values): Promise<void> => {
    await client.prompts.update({ params: { id: prompt.id }, body: values })
    await Promise.all([refreshPrompts(queries), queries.invalidateQueries({ queryKey: ['workspace'] })])
    toast(t('prompts:move.done', { key: prompt.key }))
  }
  return (
    <FormModal
      title={t('prompts:move.title', { key: prompt.key })}
      initial={{ workspace_id: prompt.workspace_id }}
      submitLabel={t('prompts:move.action')}
      onSubmit={save}
      onClose={onClose}
      problemFields={{ 'prompt.key_taken': 'workspace_id' }}
    >
      {(form) => (
        <>
          <WorkspaceField
            label={t('prompts:field.workspace')}
            input={form.getInputProps('workspace_id')}
            current={form.values.workspace_id}
          />
          <Text size="sm">
            {prompt.client_count === 0
              ? t('prompts:move.nobody')
              : tNode('prompts:move.clients', {
                  clients: <b>{t('prompts:clients', { count: prompt.client_count })}</b>,
                })}
          </Text>
        </>
      )}
    </FormModal>
  )
}
