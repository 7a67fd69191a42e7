import { List, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { defaultWorkspaceId, type Workspace } from '../../../contract/system/workspaces.ts'
import { t, tNode } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { type DisabledReason, useDisabledReason } from '../../lib/session/me.ts'
import { confirm } from '../../ui/dialog/confirm.tsx'
import { toast } from '../../ui/feedback/toast.ts'

/**
 * Deletes a workspace after a confirmation that lists what moves to `default`; then reports what was renamed.
 */
export function useDeleteWorkspace() {
  const queries = useQueryClient()
  const disabledReasonOf = useDisabledReason()

  const remove = (workspace: Workspace): Promise<boolean> =>
    confirm({
      title: t('workspaces:delete.title', { name: workspace.name }),
      body: <MovedItems workspace={workspace} />,
      action: t('workspaces:delete.action'),
      isDangerous: true,
      requiredText: workspace.slug,
      run: async () => {
        const { moved } = await client.workspaces.remove({ params: { id: workspace.id } })
        await invalidateEntities(queries, 'workspace', 'prompt', 'agent', 'workflow', 'audit')
        const count = moved.prompts + moved.agents + moved.workflows
        toast(
          moved.renamed.length === 0
            ? t('workspaces:delete.done', { name: workspace.name, count })
            : t('workspaces:delete.done_renamed', {
                name: workspace.name,
                count,
                renamed: moved.renamed.map(({ from, to }) => `${from} → ${to}`).join(', '),
              }),
        )
      },
    })

  const disabledReason = (workspace: Workspace): DisabledReason =>
    disabledReasonOf('workspaces.delete', workspace.id) ??
    (workspace.id === defaultWorkspaceId ? t('workspaces:delete.default') : null)

  return { remove, disabledReason }
}

function MovedItems({ workspace }: { readonly workspace: Workspace }) {
  const parts = [
    [workspace.prompt_count, 'workspaces:count.prompts'],
    [workspace.agent_count, 'workspaces:count.agents'],
    [workspace.workflow_count, 'workspaces:count.workflows'],
  ] as const
  const nonEmptyParts = parts.filter(([count]) => count > 0)
  if (nonEmptyParts.length === 0) {
    return tNode('workspaces:delete.empty', { name: <b>{workspace.name}</b> })
  }
  return (
    <Stack gap="sm">
      <Text size="sm">{tNode('workspaces:delete.moves', { name: <b>{workspace.name}</b> })}</Text>
      <List size="sm">
        {nonEmptyParts.map(([count, key]) => (
          <List.Item key={key}>{t(key, { count })}</List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        {t('workspaces:delete.renames', { slug: workspace.slug })}
      </Text>
    </Stack>
  )
}
