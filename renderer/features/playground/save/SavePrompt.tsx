import { TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import type { Environment } from '../../../../contract/common/environments.ts'
import type { Prompt } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { useShellSearch } from '../../../lib/page/address.ts'
import { client, invalidateEntities } from '../../../lib/service/api.ts'
import { EnvField } from '../../../shared/environments/EnvField.tsx'
import { KeyField } from '../../../shared/keys/KeyField.tsx'
import { useFirstWorkspace } from '../../../shared/resources/forms/useFirstWorkspace.ts'
import { WorkspaceField } from '../../../shared/workspaces/WorkspaceField.tsx'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import type { PlaygroundSession } from '../session.ts'
import { keyError } from './keyError.ts'

type Values = { key: string; name: string; env: Environment; workspace_id: string }
type Props = {
  readonly session: PlaygroundSession
  /** The prompt that the text came from; the new key starts with its folder. */
  readonly prompt: Prompt | undefined
  readonly onClose: () => void
}

/** A form that saves the text as a new prompt. It is a draft, so nothing is served until it is published. */
export function SavePrompt({ session, prompt, onClose }: Props) {
  const queries = useQueryClient()
  const [{ workspace }] = useShellSearch()
  const setup = session.setup.get()
  const firstWorkspace = useFirstWorkspace(prompt?.workspace_id ?? setup.workspace ?? workspace)
  const initial: Values = {
    key: prompt === undefined || prompt.folder === '' ? '' : `${prompt.folder}/`,
    name: '',
    env: prompt?.env ?? 'dev',
    workspace_id: firstWorkspace,
  }
  const save = async ({ name, ...values }: Values): Promise<void> => {
    const declared = setup.declared
      .filter((variable) => variable.declared)
      .map(({ used: _, declared: __, ...variable }) => variable)
    const model = setup.columns[0]?.model.trim() ?? ''
    const { data } = await client.prompts.create({
      body: {
        ...values,
        ...(name.trim() === '' ? {} : { name }),
        ...(model === '' ? {} : { model }),
        ...(setup.chat === null ? { content: setup.content } : { messages: setup.chat }),
        params: setup.params,
        variables: declared,
        draft: true,
      },
    })
    await invalidateEntities(queries, 'prompt', 'audit', 'workspace')
    session.change({ subject: { id: data.id, key: data.key, version: 'draft' }, declared: data.variables })
    toast(t('playground:save.created', { key: data.key }))
  }
  return (
    <FormModal
      title={t('playground:save.new_prompt')}
      initial={initial}
      submitLabel={t('playground:save.create')}
      onSubmit={save}
      onClose={onClose}
      size={520}
      problemFields={{ 'prompt.key_taken': 'key' }}
      rules={{
        key: keyError,
      }}
    >
      {(form) => (
        <>
          <p style={{ margin: 0 }} className="dimmed">
            {t('playground:save.new_help')}
          </p>
          <KeyField
            label={t('playground:save.key')}
            help={t('playground:save.key_help')}
            input={form.getInputProps('key')}
          />
          <TextInput
            {...form.getInputProps('name')}
            label={t('playground:save.name')}
            placeholder={form.values.key}
            maxLength={200}
          />
          <EnvField label={t('playground:save.env')} input={form.getInputProps('env')} />
          <WorkspaceField
            label={t('playground:save.workspace')}
            input={form.getInputProps('workspace_id')}
            current={form.values.workspace_id}
          />
        </>
      )}
    </FormModal>
  )
}
