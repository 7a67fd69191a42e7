import { Stack, TagsInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { WorkspaceField } from '../../../shared/workspaces/WorkspaceField.tsx'
import { BulkDialog } from '../../../ui/bulk/BulkDialog.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { refreshPrompts, refreshPromptsAndWorkspaces } from '../prompts.queries.ts'
import type { PromptActions, Subject } from '../usePromptActions.tsx'
import { type BulkKind, bulkReasons, useBulkItems } from './bulk.ts'

/** An action on several prompts. */
export type BulkRequest = { readonly kind: BulkKind; readonly prompts: readonly Subject[] }

type Props = {
  readonly request: BulkRequest
  readonly actions: PromptActions
  /** Tags to suggest. */
  readonly tags: readonly string[]
  /** Receives the ids of the prompts that have not changed; null if none has. */
  readonly onClose: (left: ReadonlySet<string> | null) => void
}

/** Returns the prompts that the action changes: the dialog counts these, and lists the others with the reason. */
const includedOf = ({ request: { kind, prompts }, actions }: Props): readonly Subject[] =>
  prompts.filter((prompt) => bulkReasons(actions)[kind](prompt) === null)

export function BulkDialogs(props: Props) {
  if (props.request.kind === 'move') return <MoveDialog {...props} />
  if (props.request.kind === 'tag') return <TagDialog {...props} />
  return <DeleteDialog {...props} />
}

const clientsOf = (prompts: readonly Subject[]): number =>
  prompts.reduce((sum, { client_count: count }) => sum + count, 0)

function MoveDialog(props: Props) {
  const { request, actions, onClose } = props
  const included = includedOf(props)
  const queries = useQueryClient()
  const [workspace, setWorkspace] = useState(request.prompts[0]?.workspace_id ?? '')
  const items = useBulkItems(request.prompts, (prompt) =>
    prompt.workspace_id === workspace ? t('prompts:bulk.move.there') : actions.moveDisabledReason(prompt),
  )
  return (
    <BulkDialog
      title={t('prompts:bulk.move.title', { count: included.length })}
      body={t('prompts:bulk.move.body', { clients: t('prompts:clients', { count: clientsOf(included) }) })}
      fields={(isStarted) => (
        <WorkspaceField
          label={t('prompts:field.workspace')}
          input={{
            value: workspace,
            onChange: (value: string | null) => setWorkspace(value ?? ''),
            disabled: isStarted,
          }}
          current={workspace}
        />
      )}
      action={t('prompts:move.action')}
      items={items}
      run={(id) => client.prompts.update({ params: { id }, body: { workspace_id: workspace } })}
      onSettled={() => refreshPromptsAndWorkspaces(queries)}
      onAllDone={(count) => toast(t('prompts:bulk.move.done', { count }))}
      onClose={onClose}
    />
  )
}

async function changeTags(id: string, add: readonly string[], remove: readonly string[]): Promise<void> {
  const { data } = await client.prompts.get({ params: { id } })
  const tags = [...new Set([...data.tags, ...add])].filter((tag) => !remove.includes(tag))
  // Another user's change between the two requests is not overwritten: the item fails and can be repeated.
  await client.prompts.update({ params: { id }, body: { tags } }, { headers: { 'if-match': data.etag } })
}

function TagDialog(props: Props) {
  const { request, actions, tags, onClose } = props
  const count = includedOf(props).length
  const items = useBulkItems(request.prompts, actions.changeDisabledReason)
  const queries = useQueryClient()
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  return (
    <BulkDialog
      title={t('prompts:bulk.tag.title', { count })}
      body={t('prompts:bulk.tag.body')}
      fields={(isStarted) => (
        <Stack gap="sm">
          <TagsInput
            label={t('prompts:bulk.tag.add')}
            data={[...tags]}
            value={add}
            onChange={setAdd}
            disabled={isStarted}
          />
          <TagsInput
            label={t('prompts:bulk.tag.remove')}
            data={[...tags]}
            value={remove}
            onChange={setRemove}
            disabled={isStarted}
          />
        </Stack>
      )}
      isReady={add.length + remove.length > 0}
      action={t('prompts:bulk.tag.action')}
      items={items}
      run={(id) => changeTags(id, add, remove)}
      onSettled={() => refreshPrompts(queries)}
      onAllDone={(count) => toast(t('prompts:bulk.tag.done', { count }))}
      onClose={onClose}
    />
  )
}

function DeleteDialog(props: Props) {
  const { request, actions, onClose } = props
  const included = includedOf(props)
  const items = useBulkItems(request.prompts, actions.removeDisabledReason)
  const queries = useQueryClient()
  return (
    <BulkDialog
      title={t('prompts:bulk.delete.title', { count: included.length })}
      body={
        <>
          {t('prompts:bulk.delete.body', { clients: t('prompts:clients', { count: clientsOf(included) }) })}
          <p className="dimmed">{t('prompts:delete.trash')}</p>
        </>
      }
      action={t('prompts:delete.action')}
      isDangerous
      items={items}
      run={(id) => client.prompts.remove({ params: { id } })}
      onSettled={() => refreshPrompts(queries)}
      onAllDone={(count) => toast(t('prompts:bulk.delete.done', { count }))}
      onClose={onClose}
    />
  )
}
