import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { maxKeyLength } from '../../../contract/common.ts'
import { t } from '../../lib/i18n.ts'
import { promptKeysQuery } from './agents.queries.ts'

/** Typing goes on for less than this between two keys, in milliseconds. */
const pauseMs = 200

type Props = {
  readonly value: string
  readonly onChange: (key: string) => void
  readonly workspace: string | undefined
  readonly error?: React.ReactNode
  readonly isReadOnly?: boolean
}

/** The key of a prompt; those there are are offered. */
export function PromptKeyField({ value, onChange, workspace, error, isReadOnly = false }: Props) {
  const [asked] = useDebouncedValue(value.trim(), pauseMs)
  const { data } = useQuery(promptKeysQuery(workspace, asked))
  return (
    <Autocomplete
      size="sm"
      label={t('agents:field.prompt')}
      description={t('agents:form.prompt_help')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      data={data ?? []}
      // What the service found fits already, also by a word in the middle of the key.
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
