import { Radio, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Environment } from '../../../../contract/common/environments.ts'
import { variablesIn } from '../../../../contract/formats/template.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'
import { EnvField } from '../../../shared/environments/EnvField.tsx'
import { IdentityFields } from '../../../shared/resources/forms/IdentityFields.tsx'
import { keyTaken } from '../../../shared/resources/forms/keyTaken.ts'
import { useFirstWorkspace } from '../../../shared/resources/forms/useFirstWorkspace.ts'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import { refreshPromptsAndWorkspaces } from '../prompts.queries.ts'
import { useServeDisabledReason } from '../release/useServeDisabledReason.ts'

type Values = {
  key: string
  name: string
  env: Environment
  workspace_id: string
  content: string
  as: 'publish' | 'draft'
}
type Props = {
  /** The folder that the list displays; the key of the new prompt starts with it. */
  readonly folder: string
  readonly workspace: string | undefined
  readonly env: Environment | undefined
  readonly onClose: () => void
}

/** A form for a new prompt, published as v1 or saved as a draft. */
export function CreateForm({ folder, workspace, env, onClose }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const workspaces = useQuery(workspaceChoicesQuery).data
  const serveDisabledReason = useServeDisabledReason()
  const publishDisabledReasonOf = ({
    env: chosen,
    workspace_id: id,
  }: Pick<Values, 'env' | 'workspace_id'>) => {
    const target = workspaces?.find((candidate) => candidate.id === id || candidate.slug === id)
    return serveDisabledReason({
      env: chosen,
      protected: target?.protected_envs.includes(chosen) ?? false,
      workspace_id: target?.id ?? id,
    })
  }
  const initial: Values = {
    key: folder === '' ? '' : `${folder}/`,
    name: '',
    env: env ?? 'dev',
    workspace_id: useFirstWorkspace(workspace),
    content: '',
    as: 'publish',
  }
  const isDraft = (values: Values) => values.as === 'draft' || publishDisabledReasonOf(values) !== null
  const save = async (values: Values): Promise<void> => {
    const { as: _as, name, ...fields } = values
    const body = { ...fields, ...(name.trim() === '' ? {} : { name }), draft: isDraft(values) }
    const { data } = await client.prompts.create({ body })
    await refreshPromptsAndWorkspaces(queries)
    toast(t(data.version === null ? 'prompts:create.drafted' : 'prompts:create.published', { key: data.key }))
    void navigate({ to: '/prompts/$id', params: { id: data.id } })
  }
  return (
    <FormModal
      title={t('prompts:create.title')}
      initial={initial}
      submitLabel={t('prompts:create.action')}
      onSubmit={save}
      onClose={onClose}
      size={620}
      problemFields={keyTaken('key')}
      rules={{
        key: (value) => (value.trim() === '' || value.endsWith('/') ? t('prompts:form.key_missing') : null),
        content: (value, values) =>
          value === '' && !isDraft(values) ? t('prompts:form.content_missing') : null,
      }}
    >
      {(form) => {
        const disabledReason = publishDisabledReasonOf(form.values)
        const variableNames = variablesIn(form.values.content)
        return (
          <>
            <IdentityFields
              texts="prompts"
              form={form}
              keyHelp={t('prompts:form.key_help')}
              namePlaceholder={form.values.key}
            >
              <EnvField label={t('prompts:field.env')} input={form.getInputProps('env')} />
            </IdentityFields>
            <Textarea
              {...form.getInputProps('content')}
              label={t('prompts:field.content')}
              description={
                variableNames.length === 0
                  ? t('prompts:form.content_help', { variable: '{{name}}' })
                  : t('prompts:form.found', { names: variableNames.join(', ') })
              }
              styles={{ input: { fontFamily: 'var(--pd-font-mono)', fontSize: 13 } }}
              minRows={5}
              maxRows={14}
            />
            <Radio.Group
              {...form.getInputProps('as')}
              value={disabledReason === null ? form.values.as : 'draft'}
              label={t('prompts:create.as')}
              description={disabledReason}
            >
              <Stack gap="sm" mt="sm">
                <Radio
                  size="xs"
                  value="publish"
                  label={t('prompts:create.publish')}
                  disabled={disabledReason !== null}
                />
                <Radio size="xs" value="draft" label={t('prompts:create.draft')} />
              </Stack>
            </Radio.Group>
          </>
        )
      }}
    </FormModal>
  )
}
