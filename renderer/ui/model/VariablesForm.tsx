import { Textarea } from '@mantine/core'
import type { Variable } from '../../../contract/prompt.ts'
import { t } from '../../lib/i18n.ts'
import type { FaultOf } from './faults.ts'
import styles from './model.module.css'

export type Asked = Pick<Variable, 'name' | 'required' | 'default' | 'description' | 'type'>
export type Typed = Readonly<Record<string, string>>

/** One that a template only names: it has to be given. */
export const plainVariable = (name: string): Asked => ({
  name,
  required: true,
  default: null,
  description: '',
  type: 'string',
})

/** What was typed, as the declared type says; text that is no such value stays text, and the service says so. */
function typedValue(text: string, type: Asked['type']): unknown {
  if (type === 'string' || type === null) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** The values to send: what was left empty is not sent, so that its default counts. */
export const valuesOf = (asked: readonly Asked[], typed: Typed): Record<string, unknown> =>
  Object.fromEntries(
    asked.flatMap(({ name, type }) => {
      const text = typed[name] ?? ''
      return text === '' ? [] : [[name, typedValue(text, type)]]
    }),
  )

/** Names of those that have neither a value nor a default, and need one. */
export const missingOf = (asked: readonly Asked[], typed: Typed): string[] =>
  asked
    .filter(
      ({ name, required, default: value }) =>
        required && (value === null || value === undefined) && (typed[name] ?? '') === '',
    )
    .map(({ name }) => name)

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

type Props = {
  readonly asked: readonly Asked[]
  readonly typed: Typed
  readonly onChange: (typed: Typed) => void
  readonly faultOf: FaultOf
}

/** A value for each variable. */
export function VariablesForm({ asked, typed, onChange, faultOf }: Props) {
  if (asked.length === 0) return <p className={styles['note']}>{t('model:variables.none')}</p>
  return (
    <div className={styles['stack']}>
      {asked.map(({ name, required, default: value, description }) => {
        const hasDefault = value !== null && value !== undefined
        return (
          <Textarea
            key={name}
            size="sm"
            label={<span className="mono">{name}</span>}
            aria-label={name}
            withAsterisk={required && !hasDefault}
            description={description === '' ? undefined : description}
            placeholder={hasDefault ? t('model:variables.default', { value: shown(value) }) : ''}
            value={typed[name] ?? ''}
            onChange={(event) => onChange({ ...typed, [name]: event.currentTarget.value })}
            error={faultOf(`variables.${name}`)}
            autosize
            minRows={1}
            maxRows={10}
          />
        )
      })}
    </div>
  )
}
