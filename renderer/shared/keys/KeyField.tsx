import { TextInput } from '@mantine/core'
import { maxKeyLength } from '../../../contract/common/fields.ts'

type Props = {
  readonly label: string
  readonly help?: string | undefined
  /** Props from Mantine's `form.getInputProps`. */
  readonly input: object
}

/** A field for the key of a new prompt, agent or workflow. */
export const KeyField = ({ label, help, input }: Props) => (
  <TextInput
    {...input}
    label={label}
    description={help}
    className="mono-input"
    maxLength={maxKeyLength}
    autoComplete="off"
    data-autofocus
  />
)
