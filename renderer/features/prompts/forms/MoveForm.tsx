import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { t, tNode } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { MoveForm as ResourceMoveForm } from '../../../shared/resources/forms/MoveForm.tsx'
import { refreshPromptsAndWorkspaces } from '../prompts.queries.ts'
import type { Subject } from '../usePromptActions.tsx'

type Props = { readonly prompt: Subject; readonly onClose: () => void }

/** A form that moves a prompt to another workspace, where apps that name the old one no longer find it. */
export function MoveForm({ prompt, onClose }: Props) {
  const queries = useQueryClient()
  return (
    <ResourceMoveForm
      texts="prompts"
      subject={prompt}
      onMove={async (body) => {
        await client.prompts.update({ params: { id: prompt.id }, body })
        await refreshPromptsAndWorkspaces(queries)
      }}
      onClose={onClose}
    >
      <Text size="sm">
        {prompt.client_count === 0
          ? t('prompts:move.nobody')
          : tNode('prompts:move.clients', {
              clients: <b>{t('prompts:clients', { count: prompt.client_count })}</b>,
            })}
      </Text>
    </ResourceMoveForm>
  )
}
