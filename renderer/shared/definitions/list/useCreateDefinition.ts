import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { t } from '../../../lib/i18n.ts'
import { toast } from '../../../ui/feedback/toast.ts'
import { keyTaken } from '../../resources/forms/keyTaken.ts'
import { useFirstWorkspace } from '../../resources/forms/useFirstWorkspace.ts'
import { catalogueOf, type Definition, type Kind, pageOf, refreshDefinitions } from '../definition.ts'

/** Returns what the forms for a new agent and a new workflow share. */
export function useCreateDefinition(kind: Kind, workspace: string | undefined) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const texts = catalogueOf[kind]
  return {
    initial: { key: '', name: '', workspace_id: useFirstWorkspace(workspace) },
    /** Props of the form. */
    form: {
      title: t(`${texts}:create.title`),
      submitLabel: t(`${texts}:create.action`),
      problemFields: keyTaken('key'),
    },
    /** Props of the fields for key, name and workspace. */
    identity: { texts: 'definition', keyHelp: t('definition:form.key_help') } as const,
    keyRule: (key: string): string | null => (key.trim() === '' ? t('definition:form.key_missing') : null),
    open: async ({ id, key }: Pick<Definition, 'id' | 'key'>): Promise<void> => {
      await refreshDefinitions(queries, kind)
      toast(t(`${texts}:create.done`, { key }))
      void navigate({ to: pageOf[kind], params: { id } })
    },
  }
}
