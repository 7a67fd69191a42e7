import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { t, tNode } from '../../../lib/i18n.ts'
import { type DisabledReason, useDisabledReason } from '../../../lib/session/me.ts'
import { useDialogState } from '../../../lib/state/useDraft.ts'
import { confirm } from '../../../ui/dialog/confirm.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import type { MenuActions } from '../../resources/list/ResourceMenu.tsx'
import { callsOf, type Definition, type Kind, refreshDefinitions } from '../definition.ts'

/** The fields that the actions need, of a row or of a page's data. */
export type Subject = Pick<Definition, 'id' | 'key' | 'name' | 'workspace_id'>
type OpenDialog = { readonly name: 'duplicate' | 'move'; readonly subject: Subject }

export type DefinitionActions = MenuActions<Subject> & {
  readonly kind: Kind
  /** The reason why the user may change nothing here: in the item's workspace on its page, else in any. */
  readonly writeDisabledReason: DisabledReason
  readonly runDisabledReason: DisabledReason
  readonly openDialog: OpenDialog | null
  readonly close: () => void
}

/** Returns the actions for whole agents or workflows. The object stays the same until a field changes. */
export function useDefinitionActions(kind: Kind): DefinitionActions {
  const queries = useQueryClient()
  const disabledReasonOf = useDisabledReason()
  const [openDialog, setOpenDialog] = useDialogState<OpenDialog>(kind)
  const writeDisabledReason = disabledReasonOf('resources.write')
  const runDisabledReason = disabledReasonOf('resources.run')
  return useMemo(() => {
    const changeDisabledReason = ({ workspace_id: id }: Subject) => disabledReasonOf('resources.write', id)
    return {
      kind,
      writeDisabledReason,
      runDisabledReason,
      changeDisabledReason,
      moveDisabledReason: changeDisabledReason,
      removeDisabledReason: changeDisabledReason,
      duplicate: (subject) => setOpenDialog({ name: 'duplicate', subject }),
      move: (subject) => setOpenDialog({ name: 'move', subject }),
      remove: ({ id, key }) =>
        confirm({
          title: t('definition:delete.title', { key }),
          body: tNode(`definition:${kind}.delete`, { key: <b className="mono">{key}</b> }),
          action: t('definition:delete.action'),
          isDangerous: true,
          run: async () => {
            await callsOf(kind).remove({ params: { id } })
            await refreshDefinitions(queries, kind)
            toast(t('definition:delete.done', { key }))
          },
        }),
      openDialog,
      close: () => setOpenDialog(null),
    }
  }, [kind, queries, disabledReasonOf, writeDisabledReason, runDisabledReason, openDialog, setOpenDialog])
}
