import './views.texts.ts'
import { Checkbox, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { SavedView, ViewPage } from '../../../contract/system/views.ts'
import { t } from '../../lib/i18n.ts'
import { client } from '../../lib/service/api.ts'
import { useDisabledReason } from '../../lib/session/me.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'
import { useWorkspacesWith } from '../workspaces/useWorkspacesWith.ts'
import { WorkspaceField } from '../workspaces/WorkspaceField.tsx'

type Values = { name: string; shared: boolean; workspace_id: string; has_columns: boolean }

type Props = {
  /** The view to edit, or the page and the search of a new one. */
  readonly view: SavedView | { readonly page: ViewPage; readonly query: string }
  /** The visible columns; null where the table is not at hand. */
  readonly columns: readonly string[] | null
  readonly onClose: () => void
  readonly onSaved?: (view: SavedView) => void
}

/** Form for the name of a view, its columns, and the workspace with which it is shared. */
export function ViewForm({ view: given, columns, onClose, onSaved }: Props) {
  const view = 'id' in given ? given : null
  const queries = useQueryClient()
  const workspaces = useWorkspacesWith('views.share')
  const sharingRefusal = useDisabledReason()('views.share')
  const initial: Values = {
    name: view?.name ?? '',
    shared: view?.shared ?? false,
    workspace_id: view?.workspace_id ?? workspaces?.[0]?.id ?? 'default',
    has_columns: view?.columns != null,
  }
  const save = async ({ name, shared, workspace_id, has_columns }: Values): Promise<void> => {
    const sharing = shared ? { shared, workspace_id } : { shared, workspace_id: null }
    const kept = columns === null ? {} : { columns: has_columns ? [...columns] : null }
    const { data } =
      'id' in given
        ? await client.views.update({ params: { id: given.id }, body: { name, ...kept, ...sharing } })
        : await client.views.create({ body: { name, ...given, ...kept, ...sharing } })
    await queries.invalidateQueries({ queryKey: ['view'] })
    toast(t(view === null ? 'views:saved' : 'views:updated', { name: data.name }))
    onSaved?.(data)
  }
  return (
    <FormModal
      title={view === null ? t('views:form.save_title') : t('views:form.edit_title', { name: view.name })}
      initial={initial}
      submitLabel={view === null ? t('views:save') : t('common:save')}
      onSubmit={save}
      onClose={onClose}
      rules={{ name: (value) => (value.trim() === '' ? t('views:form.name_missing') : null) }}
    >
      {(form) => (
        <>
          <TextInput
            {...form.getInputProps('name')}
            label={t('views:form.name')}
            maxLength={100}
            autoComplete="off"
            data-autofocus
          />
          {columns !== null && (
            <Checkbox
              {...form.getInputProps('has_columns', { type: 'checkbox' })}
              label={t('views:form.columns')}
              description={t('views:form.columns_help')}
            />
          )}
          <Checkbox
            {...form.getInputProps('shared', { type: 'checkbox' })}
            label={t('views:form.shared')}
            description={sharingRefusal ?? t('views:form.shared_help')}
            disabled={sharingRefusal !== null}
          />
          {form.values.shared && (
            <WorkspaceField
              permission="views.share"
              label={t('views:form.workspace')}
              input={form.getInputProps('workspace_id')}
              current={form.values.workspace_id}
            />
          )}
        </>
      )}
    </FormModal>
  )
}
