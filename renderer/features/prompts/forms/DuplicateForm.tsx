import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Environment } from '../../../../contract/common/environments.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { EnvField } from '../../../shared/environments/EnvField.tsx'
import { copyOf, duplicateForm } from '../../../shared/resources/forms/duplicate.ts'
import { IdentityFields } from '../../../shared/resources/forms/IdentityFields.tsx'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { refreshPrompts } from '../prompts.queries.ts'
import type { Subject } from '../usePromptActions.tsx'

type Values = { key: string; name: string; env: Environment; workspace_id: string }
type Props = { readonly prompt: Subject; readonly onClose: () => void }

/** A form that copies a prompt as a draft under another key, environment or workspace. */
export function DuplicateForm({ prompt, onClose }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const initial: Values = { ...copyOf(prompt), env: prompt.env }
  const save = async (body: Values): Promise<void> => {
    const { data } = await client.prompts.duplicate({ params: { id: prompt.id }, body })
    await refreshPrompts(queries)
    toast(t('prompts:duplicate.done', { key: data.key }))
    void navigate({ to: '/prompts/$id', params: { id: data.id } })
  }
  return (
    <FormModal {...duplicateForm('prompts', prompt)} initial={initial} onSubmit={save} onClose={onClose}>
      {(form) => (
        <IdentityFields texts="prompts" form={form} keyHelp={t('prompts:duplicate.help')}>
          <EnvField label={t('prompts:field.env')} input={form.getInputProps('env')} />
        </IdentityFields>
      )}
    </FormModal>
  )
}
