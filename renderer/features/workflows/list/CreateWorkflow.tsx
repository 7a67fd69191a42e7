import { Radio, Stack } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { StepInput } from '../../../../contract/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'
import { draftName } from '../../../lib/state/drafts.ts'
import { refreshDefinitions } from '../../../shared/definitions/definition.ts'
import { CreateFields } from '../../../shared/definitions/list/CreateFields.tsx'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'
import { toast } from '../../../ui/feedback/toast.ts'

/** Initial steps to choose from when a workflow is created. */
const starts = {
  one: [{ name: 'answer', type: 'model', template: '{{input}}' }],
  chain: [
    { name: 'ask', type: 'render', template: 'Summarise in one sentence:\n\n{{text}}' },
    { name: 'summary', type: 'model' },
    { name: 'tidy', type: 'transform', op: 'trim' },
  ],
  branch: [
    { name: 'ask', type: 'render', template: 'Is this urgent? Answer yes or no.\n\n{{text}}' },
    { name: 'urgency', type: 'model' },
    {
      name: 'urgent',
      type: 'condition',
      when: { value: '{{steps.urgency.output}}', op: 'contains', to: 'yes' },
      // biome-ignore lint/suspicious/noThenProperty: a field name of the API
      then: [{ name: 'answer', type: 'model', template: 'Answer at once:\n\n{{text}}' }],
      else: [{ name: 'later', type: 'render', template: 'Queued: {{text}}' }],
    },
  ],
} as const satisfies Record<string, readonly StepInput[]>
type Start = keyof typeof starts
const startNames = ['one', 'chain', 'branch'] as const satisfies readonly Start[]

type Values = { key: string; name: string; workspace_id: string; start: Start }
type Props = { readonly workspace: string | undefined; readonly onClose: () => void }

/** A form for a new workflow with a choice of initial steps. */
export function CreateWorkflow({ workspace, onClose }: Props) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const workspaces = useQuery(workspaceChoicesQuery).data
  const initial: Values = {
    key: '',
    name: '',
    workspace_id: workspaces?.find((one) => one.slug === workspace)?.id ?? workspace ?? 'default',
    start: 'one',
  }
  const save = async ({ start, name, ...rest }: Values): Promise<void> => {
    const body = { ...rest, steps: [...starts[start]], ...(name.trim() === '' ? {} : { name }) }
    const { data } = await client.workflows.create({ body })
    await refreshDefinitions(queries, 'workflow')
    toast(t('workflows:create.done', { key: data.key }))
    void navigate({ to: '/workflows/$id', params: { id: data.id } })
  }
  return (
    <FormModal
      draft={draftName('workflow')}
      title={t('workflows:create.title')}
      initial={initial}
      submitLabel={t('workflows:create.action')}
      onSubmit={save}
      onClose={onClose}
      size={560}
      problemFields={{ 'workflow.key_taken': 'key' }}
      rules={{ key: (value) => (value.trim() === '' ? t('definition:form.key_missing') : null) }}
    >
      {(form) => (
        <>
          <CreateFields form={form} />
          <Radio.Group {...form.getInputProps('start')} label={t('workflows:create.start')}>
            <Stack gap="sm" mt="sm">
              {startNames.map((name) => (
                <Radio key={name} size="xs" value={name} label={t(`workflows:create.starts.${name}`)} />
              ))}
            </Stack>
          </Radio.Group>
        </>
      )}
    </FormModal>
  )
}
