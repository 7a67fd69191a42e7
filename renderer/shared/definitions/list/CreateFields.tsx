import { TextInput } from '@mantine/core'
import { t } from '../../../lib/i18n.ts'
import { KeyField } from '../../keys/KeyField.tsx'
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
    <KeyField
      label={t('definition:field.key')}
      help={t('definition:form.key_help')}
      input={form.getInputProps('key')}
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
