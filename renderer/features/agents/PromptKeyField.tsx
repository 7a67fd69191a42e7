import { useQuery } from '@tanstack/react-query'
import { t } from '../../lib/i18n.ts'
import { KeyInput, useDebouncedKey } from '../../shared/keys/KeyInput.tsx'
import { promptKeysQuery } from './agents.queries.ts'

type Props = {
  readonly value: string
  readonly onChange: (key: string) => void
  readonly workspace: string | undefined
  readonly error?: React.ReactNode
  readonly isReadOnly?: boolean
}

/** An input for the key of a prompt, with existing keys as suggestions. */
export function PromptKeyField({ value, onChange, workspace, error, isReadOnly = false }: Props) {
  const keys = useQuery(promptKeysQuery(workspace, useDebouncedKey(value))).data
  return (
    <KeyInput
      label={t('agents:field.prompt')}
      description={t('agents:form.prompt_help')}
      keys={keys}
      value={value}
      onChange={onChange}
      isReadOnly={isReadOnly}
      error={error}
    />
  )
}
