import { Select, type SelectProps, TextInput, type TextInputProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { maxKeyLength } from '../../../../contract/common/fields.ts'
import { t } from '../../../lib/i18n.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'

/** A field for the key of the new prompt or agent. */
export function KeyField(props: TextInputProps) {
  return (
    <TextInput
      {...props}
      label={t('playground:save.key')}
      styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
      maxLength={maxKeyLength}
      autoComplete="off"
      data-autofocus
    />
  )
}

/** A select for the workspace of the new prompt or agent. */
export function WorkspaceSelect({ chosen, ...props }: SelectProps & { readonly chosen: string }) {
  const options = (useQuery(workspaceChoicesQuery).data ?? []).map(({ id, name }) => ({
    value: id,
    label: name,
  }))
  return (
    <Select
      {...props}
      size="sm"
      label={t('playground:save.workspace')}
      searchable={options.length > 8}
      allowDeselect={false}
      data={
        options.some(({ value }) => value === chosen)
          ? options
          : [{ value: chosen, label: chosen }, ...options]
      }
    />
  )
}

/** Returns the error of an empty key or of one that ends with a slash; null if the key may be sent. */
export const keyError = (key: string): string | null =>
  key.trim() === '' || key.endsWith('/') ? t('playground:save.key_missing') : null
