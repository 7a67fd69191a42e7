import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { KeyField } from '../../keys/KeyField.tsx'
import { WorkspaceField } from '../../workspaces/WorkspaceField.tsx'
import { callsOf, type Kind, pageOf, refreshDefinitions } from '../definition.ts'
import type { DefinitionActions, Subject } from './useDefinitionActions.tsx'

type Props = { readonly kind: Kind; readonly subject: Subject; readonly onClose: () => void }
type Values = { key: string; name: string; workspace_id: string }

/** The open dialog, if any. */
export function DefinitionForms({ actions }: { readonly actions: DefinitionActions }) {
  if (actions.asking === null) return null
  const Form = actions.asking.what === 'duplicate' ? DuplicateForm : MoveForm
  return <Form kind={actions.kind} subject={actions.asking.subject} onClose={actions.close} />
}

/** Form that makes a copy under another key or in another workspace. */
function DuplicateForm({ kind, subject, onClose }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const initial: Values = {
    key: `${subject.key}-copy`,
    name: subject.name,
    workspace_id: subject.workspace_id,
  }
  const save = async (body: Values): Promise<void> => {
    const { data } = await callsOf(kind).duplicate({ params: { id: subject.id }, body })
    await refreshDefinitions(queries, kind)
    toast(t('definition:duplicate.done', { key: data.key }))
    void navigate({ to: pageOf[kind], params: { id: data.id } })
  }
  return (
    <FormModal
      title={t('definition:duplicate.title', { key: subject.key })}
      initial={initial}
      submitLabel={t('definition:duplicate.action')}
      onSubmit={save}
      onClose={onClose}
      problemFields={{ 'agent.key_taken': 'key', 'workflow.key_taken': 'key' }}
      rules={{ key: (value) => (value.trim() === '' ? t('definition:form.key_missing') : null) }}
    >
      {(form) => (
        <>
          <KeyField
            label={t('definition:field.key')}
            help={t('definition:duplicate.help')}
            input={form.getInputProps('key')}
          />
          <TextInput {...form.getInputProps('name')} label={t('definition:field.name')} maxLength={200} />
          <WorkspaceField
            label={t('definition:field.workspace')}
            input={form.getInputProps('workspace_id')}
            current={form.values.workspace_id}
          />
        </>
      )}
    </FormModal>
  )
}

/** Form that moves an agent or workflow to another workspace, with all versions. */
function MoveForm({ kind, subject, onClose }: Props) {
  const queries = useQueryClient()
  const move = async ({ workspace_id }: { workspace_id: string }): Promise<void> => {
    const input = { params: { id: subject.id }, body: { workspace_id } }
    if (kind === 'agent') await client.agents.update(input)
    else await client.workflows.update(input)
    await refreshDefinitions(queries, kind)
    toast(t('definition:move.done', { key: subject.key }))
  }
  return (
    <FormModal
      title={t('definition:move.title', { key: subject.key })}
      initial={{ workspace_id: subject.workspace_id }}
      submitLabel={t('definition:move.action')}
      onSubmit={move}
      onClose={onClose}
      problemFields={{ 'agent.key_taken': 'workspace_id', 'workflow.key_taken': 'workspace_id' }}
    >
      {(form) => (
        <>
          <WorkspaceField
            label={t('definition:field.workspace')}
            input={form.getInputProps('workspace_id')}
            current={form.values.workspace_id}
          />
          <div className="dimmed">{t(`definition:${kind}.move`)}</div>
        </>
      )}
    </FormModal>
  )
}
