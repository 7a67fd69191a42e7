import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { copyOf, duplicateForm } from '../../resources/forms/duplicate.ts'
import { IdentityFields } from '../../resources/forms/IdentityFields.tsx'
import { MoveForm as ResourceMoveForm } from '../../resources/forms/MoveForm.tsx'
import { callsOf, type Kind, pageOf, refreshDefinitions } from '../definition.ts'
import type { DefinitionActions, Subject } from './useDefinitionActions.tsx'

type Props = { readonly kind: Kind; readonly subject: Subject; readonly onClose: () => void }

/** The open dialog, if any. */
export function DefinitionForms({ actions }: { readonly actions: DefinitionActions }) {
  if (actions.openDialog === null) return null
  const Form = actions.openDialog.name === 'duplicate' ? DuplicateForm : MoveForm
  return <Form kind={actions.kind} subject={actions.openDialog.subject} onClose={actions.close} />
}

/** Form that makes a copy under another key or in another workspace. */
function DuplicateForm({ kind, subject, onClose }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const save = async (body: ReturnType<typeof copyOf>): Promise<void> => {
    const { data } = await callsOf(kind).duplicate({ params: { id: subject.id }, body })
    await refreshDefinitions(queries, kind)
    toast(t('definition:duplicate.done', { key: data.key }))
    void navigate({ to: pageOf[kind], params: { id: data.id } })
  }
  return (
    <FormModal
      {...duplicateForm('definition', subject)}
      initial={copyOf(subject)}
      onSubmit={save}
      onClose={onClose}
    >
      {(form) => <IdentityFields texts="definition" form={form} keyHelp={t('definition:duplicate.help')} />}
    </FormModal>
  )
}

/** Form that moves an agent or workflow to another workspace. */
function MoveForm({ kind, subject, onClose }: Props) {
  const queries = useQueryClient()
  return (
    <ResourceMoveForm
      texts="definition"
      subject={subject}
      onMove={async (body) => {
        const input = { params: { id: subject.id }, body }
        if (kind === 'agent') await client.agents.update(input)
        else await client.workflows.update(input)
        await refreshDefinitions(queries, kind)
      }}
      onClose={onClose}
    >
      <div className="dimmed">{t(`definition:${kind}.move`)}</div>
    </ResourceMoveForm>
  )
}
