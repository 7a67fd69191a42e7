import { Radio, Stack } from '@mantine/core'
import type { StepInput } from '../../../../contract/workflows/workflow-step.ts'
import { t } from '../../../lib/i18n.ts'
import { client } from '../../../lib/service/api.ts'
import { useCreateDefinition } from '../../../shared/definitions/list/useCreateDefinition.ts'
import { IdentityFields } from '../../../shared/resources/forms/IdentityFields.tsx'
import { FormModal } from '../../../ui/dialog/FormModal.tsx'

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
  const creating = useCreateDefinition('workflow', workspace)
  const initial: Values = {
    ...creating.initial,
    start: 'one',
  }
  const save = async ({ start, name, ...rest }: Values): Promise<void> => {
    const body = { ...rest, steps: [...starts[start]], ...(name.trim() === '' ? {} : { name }) }
    const { data } = await client.workflows.create({ body })
    await creating.open(data)
  }
  return (
    <FormModal
      {...creating.form}
      initial={initial}
      onSubmit={save}
      onClose={onClose}
      size={560}
      rules={{ key: creating.keyRule }}
    >
      {(form) => (
        <>
          <IdentityFields {...creating.identity} form={form} namePlaceholder={form.values.key} />
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
