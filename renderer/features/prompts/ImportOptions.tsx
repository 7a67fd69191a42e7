import { Checkbox, NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { environments } from '../../../contract/live.ts'
import { t } from '../../lib/i18n.ts'
import { WorkspaceField } from '../../ui/WorkspaceField.tsx'
import type { ImportValues } from './import.ts'

type Props = {
  readonly values: ImportValues
  readonly onChange: (patch: Partial<ImportValues>) => void
}

const ways = ['update', 'skip', 'refuse'] as const

/** Where it goes, and what becomes of what is there already. */
export function ImportOptions({ values, onChange }: Props) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <WorkspaceField
          label={t('prompts:field.workspace')}
          current={values.workspace_id}
          input={{
            value: values.workspace_id,
            onChange: (id: string | null) => onChange({ workspace_id: id ?? values.workspace_id }),
          }}
        />
        <NativeSelect
          label={t('prompts:import.env')}
          value={values.env}
          onChange={(event) => {
            const env = environments.find((one) => one === event.currentTarget.value)
            if (env !== undefined) onChange({ env })
          }}
          data={[...environments]}
        />
        <TextInput
          label={t('prompts:import.prefix')}
          placeholder={t('prompts:import.prefix_none')}
          value={values.prefix}
          onChange={(event) => onChange({ prefix: event.currentTarget.value })}
          styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
        />
        <NativeSelect
          label={t('prompts:import.existing')}
          value={values.existing}
          onChange={(event) => {
            const existing = ways.find((one) => one === event.currentTarget.value)
            if (existing !== undefined) onChange({ existing })
          }}
          data={ways.map((way) => ({ value: way, label: t(`prompts:import.existing_${way}`) }))}
        />
      </SimpleGrid>
      <Checkbox
        size="xs"
        label={t('prompts:import.publish')}
        description={t('prompts:import.publish_help')}
        checked={values.publish}
        onChange={(event) => onChange({ publish: event.currentTarget.checked })}
      />
    </>
  )
}
