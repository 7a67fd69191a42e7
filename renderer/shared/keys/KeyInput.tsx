import { Autocomplete } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { maxKeyLength } from '../../../contract/common/fields.ts'

/** Debounce of the search while typing, in milliseconds. */
const debounceMs = 200

/** Returns the typed key, once the user pauses. */
export const useDebouncedKey = (typed: string): string => useDebouncedValue(typed.trim(), debounceMs)[0]

type Props = {
  readonly label: string
  readonly description: ReactNode
  /** Keys that the service found for the typed text. */
  readonly keys: readonly string[] | undefined
  readonly value: string
  readonly onChange: (key: string) => void
  readonly isReadOnly: boolean
  readonly error: ReactNode
}

/** Input for the key of an existing prompt or agent, with suggestions. */
export const KeyInput = ({ label, description, keys, value, onChange, isReadOnly, error }: Props) => (
  <Autocomplete
    size="sm"
    label={label}
    description={description}
    data={[...(keys ?? [])]}
    // The service has filtered already, also by words in the middle of a key.
    filter={({ options }) => options}
    value={value}
    onChange={onChange}
    readOnly={isReadOnly}
    error={error}
    maxLength={maxKeyLength}
    className="mono-input"
  />
)
