import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../lib/i18n.ts'
import { WorkspaceField } from '../workspaces/WorkspaceField.tsx'
import type { ImportValues } from './import.ts'

type Props = {
  readonly values: ImportValues
  readonly onChange: (patch: Partial<ImportValues>) => void
  /** Number of columns where there is space. */
  readonly columns: number
  /** Label of the choice for items that already exist. */
  readonly existingLabel: string
  /** Further fields, after the workspace. */
  readonly children?: ReactNode
}

const existingOptions = ['update', 'skip', 'refuse'] as const

/** Fields for the target of an import, and for items that already exist. */
export function ImportFields({ values, onChange, columns, existingLabel, children }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, sm: columns }} spacing="md">
      <WorkspaceField
        label={t('transfer:import.workspace')}
        current={values.workspace_id}
        input={{
          value: values.workspace_id,
          onChange: (id: string | null) => onChange({ workspace_id: id ?? values.workspace_id }),
        }}
      />
      {children}
      <TextInput
        label={t('transfer:import.prefix')}
        placeholder={t('transfer:import.prefix_none')}
        value={values.prefix}
        onChange={(event) => onChange({ prefix: event.currentTarget.value })}
        className="mono-input"
      />
      <NativeSelect
        label={existingLabel}
        value={values.existing}
        onChange={(event) => {
          const existing = existingOptions.find((option) => option === event.currentTarget.value)
          if (existing !== undefined) onChange({ existing })
        }}
        data={existingOptions.map((value) => ({ value, label: t(`transfer:import.existing_${value}`) }))}
      />
    </SimpleGrid>
  )
}
