import { Checkbox, NativeSelect } from '@mantine/core'
import { type Environment, environments } from '../../../../contract/common/environments.ts'
import { t } from '../../../lib/i18n.ts'
import { ImportFields } from '../../../shared/transfer/ImportFields.tsx'
import type { ImportValues } from '../../../shared/transfer/import.ts'

export type PromptImportValues = ImportValues & { readonly env: Environment; readonly publish: boolean }

type Props = {
  readonly values: PromptImportValues
  readonly onChange: (patch: Partial<PromptImportValues>) => void
}

/** The options of an import: target, handling of existing prompts, and whether to publish. */
export function ImportOptions({ values, onChange }: Props) {
  return (
    <>
      <ImportFields
        values={values}
        onChange={onChange}
        columns={2}
        existingLabel={t('prompts:import.existing')}
      >
        <NativeSelect
          label={t('prompts:import.env')}
          value={values.env}
          onChange={(event) => {
            const env = environments.find((name) => name === event.currentTarget.value)
            if (env !== undefined) onChange({ env })
          }}
          data={[...environments]}
        />
      </ImportFields>
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
