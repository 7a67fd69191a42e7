import { TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import { KeyField } from '../../keys/KeyField.tsx'
import { WorkspaceField } from '../../workspaces/WorkspaceField.tsx'
import type { ResourceTexts } from '../texts.ts'

type Props = {
  readonly texts: ResourceTexts
  /** The part of Mantine's form that these fields use. */
  readonly form: {
    readonly values: { readonly workspace_id: string }
    getInputProps(name: 'key' | 'name' | 'workspace_id'): object
  }
  readonly keyHelp: string
  readonly namePlaceholder?: string | undefined
  /** Further fields, before the workspace. */
  readonly children?: ReactNode
}

/** Fields for key, name and workspace of a new prompt, agent or workflow. */
export const IdentityFields = ({ texts, form, keyHelp, namePlaceholder, children }: Props) => (
  <>
    <KeyField label={t(`${texts}:field.key`)} help={keyHelp} input={form.getInputProps('key')} />
    <TextInput
      {...form.getInputProps('name')}
      label={t(`${texts}:field.name`)}
      placeholder={namePlaceholder}
      maxLength={200}
    />
    {children}
    <WorkspaceField
      label={t(`${texts}:field.workspace`)}
      input={form.getInputProps('workspace_id')}
      current={form.values.workspace_id}
    />
  </>
)
