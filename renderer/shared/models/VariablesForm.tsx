import type { Variable } from '../../../contract/prompts/prompt.ts'
import { t } from '../../lib/i18n.ts'
import { Textarea } from '../../ui/input/Textarea.tsx'
import type { FieldErrorOf } from './fieldErrorOf.ts'
import styles from './model.module.css'

export type InputVariable = Pick<Variable, 'name' | 'required' | 'default' | 'description' | 'type'>
export type TypedValues = Readonly<Record<string, string>>

/** Returns a variable that a template uses without declaring it. It is required. */
export const plainVariable = (name: string): InputVariable => ({
  name,
  required: true,
  default: null,
  description: '',
  type: 'string',
})

/**
 * Returns the typed text as a value of its declared type. Invalid text stays text, which the service rejects.
 */
function typedValue(text: string, type: InputVariable['type']): unknown {
  if (type === 'string' || type === null) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Returns the values to send. Empty ones are omitted, so that their defaults apply. */
export const valuesOf = (variables: readonly InputVariable[], typed: TypedValues): Record<string, unknown> =>
  Object.fromEntries(
    variables.flatMap(({ name, type }) => {
      const text = typed[name] ?? ''
      return text === '' ? [] : [[name, typedValue(text, type)]]
    }),
  )

/** Returns the names of required variables with neither a value nor a default. */
export const missingOf = (variables: readonly InputVariable[], typed: TypedValues): string[] =>
  variables
    .filter(
      ({ name, required, default: value }) =>
        required && (value === null || value === undefined) && (typed[name] ?? '') === '',
    )
    .map(({ name }) => name)

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

type Props = {
  readonly variables: readonly InputVariable[]
  readonly typed: TypedValues
  readonly onChange: (typed: TypedValues) => void
  readonly fieldErrorOf: FieldErrorOf
}

export function VariablesForm({ variables, typed, onChange, fieldErrorOf }: Props) {
  if (variables.length === 0) return <p className="note">{t('model:variables.none')}</p>
  return (
    <div className={styles['stack']}>
      {variables.map(({ name, required, default: value, description }) => {
        const hasDefault = value !== null && value !== undefined
        return (
          <Textarea
            key={name}
            size="sm"
            label={<span className="mono">{name}</span>}
            aria-label={name}
            withAsterisk={required && !hasDefault}
            description={description === '' ? undefined : description}
            placeholder={hasDefault ? t('model:variables.default', { value: asText(value) }) : ''}
            value={typed[name] ?? ''}
            onChange={(event) => onChange({ ...typed, [name]: event.currentTarget.value })}
            error={fieldErrorOf(`variables.${name}`)}
            maxRows={10}
          />
        )
      })}
    </div>
  )
}
