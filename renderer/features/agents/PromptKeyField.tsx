import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { maxKeyLength } from '../../../contract/common.ts'
import { t } from '../../lib/i18n.ts'
import { promptKeysQuery } from './agents.queries.ts'

/** Debounce of the search while typing, in milliseconds. */
const pauseMs = 200

type Props = {
  readonly value: string
  readonly onChange: (key: string) => void
  readonly workspace: string | undefined
  readonly error?: React.ReactNode
  readonly isReadOnly?: boolean
}

/** An input for the key of a prompt, with existing keys as suggestions. */
export function PromptKeyField({ value, onChange, workspace, error, isReadOnly = false }: Props) {
  const [debounced] = useDebouncedValue(value.trim(), pauseMs)
  const { data } = useQuery(promptKeysQuery(workspace, debounced))
  return (
    <Autocomplete
      size="sm"
      label={t('agents:field.prompt')}
      description={t('agents:form.prompt_help')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={data ?? []}
      // The service has filtered already, also by words in the middle of a key.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      readOnly={isReadOnly}
      error={error}
      maxLength={maxKeyLength}
      styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
    />
  )
}
