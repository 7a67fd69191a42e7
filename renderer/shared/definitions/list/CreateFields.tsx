import { TextInput } from '@mantine/core'
import { maxKeyLength } from '../../../../contract/common.ts'
import { t } from '../../../lib/i18n.ts'
import { WorkspaceField } from '../../workspaces/WorkspaceField.tsx'

type Props = {
  /** The part of Mantine's form that these fields use. */
  readonly form: {
    readonly values: { readonly key: string; readonly workspace_id: string }
    getInputProps(name: 'key' | 'name' | 'workspace_id'): object
  }
}

/** Fields for key, name and workspace of a new agent or workflow. */
export const CreateFields = ({ form }: Props) => (
  <>
    <TextInput
      {...form.getInputProps('key')}
      label={t('definition:field.key')}
      description={t('definition:form.key_help')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
      maxLength={maxKeyLength}
      autoComplete="off"
      data-autofocus
    />
    <TextInput
      {...form.getInputProps('name')}
      label={t('definition:field.name')}
      placeholder={form.values.key}
      maxLength={200}
    />
    <WorkspaceField
      label={t('definition:field.workspace')}
      input={form.getInputProps('workspace_id')}
      current={form.values.workspace_id}
    />
  </>
)
