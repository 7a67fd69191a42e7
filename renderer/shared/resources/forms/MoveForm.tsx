import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { WorkspaceField } from '../../workspaces/WorkspaceField.tsx'
import type { ResourceTexts } from '../texts.ts'
import { keyTaken } from './keyTaken.ts'

type Values = { workspace_id: string }
type Props = {
  readonly texts: ResourceTexts
  readonly subject: Readonly<Values> & { readonly key: string }
  /** Sends the request and invalidates the queries that it affects. */
  readonly onMove: (values: Values) => Promise<unknown>
  readonly onClose: () => void
  /** The consequence of the move. */
  readonly children: ReactNode
}

/** Form that moves a prompt, agent or workflow to another workspace, with all versions. */
export function MoveForm({ texts, subject, onMove, onClose, children }: Props) {
  const save = async (values: Values): Promise<void> => {
    await onMove(values)
    toast(t(`${texts}:move.done`, { key: subject.key }))
  }
  return (
    <FormModal
      title={t(`${texts}:move.title`, { key: subject.key })}
      initial={{ workspace_id: subject.workspace_id }}
      submitLabel={t(`${texts}:move.action`)}
      onSubmit={save}
      onClose={onClose}
      problemFields={keyTaken('workspace_id')}
    >
      {(form) => (
        <>
          <WorkspaceField
            label={t(`${texts}:field.workspace`)}
            input={form.getInputProps('workspace_id')}
            current={form.values.workspace_id}
          />
          {children}
        </>
      )}
    </FormModal>
  )
}
