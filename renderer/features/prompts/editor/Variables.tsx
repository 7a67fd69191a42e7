import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useRef, useState } from 'react'
import { unsafeNames, variableName } from '../../../../contract/formats/template.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './edit.module.css'
import type { Declared } from './editing.ts'
import type { Samples } from './samples.ts'
import { VariableRow } from './VariableRow.tsx'

type Props = {
  /** The variables of the text, in order of appearance. */
  readonly usedNames: readonly string[]
  readonly declared: readonly Declared[]
  readonly samples: Samples
  readonly isReadOnly: boolean
  readonly onChange: (declared: readonly Declared[]) => void
}

const newDeclaration = (name: string): Declared => ({
  name,
  required: true,
  default: null,
  description: '',
  type: 'string',
})

/** Returns the reason why a variable of this name cannot be declared; null if it can. */
function errorOfNew(name: string, declared: readonly Declared[]): string | null {
  if (name === '') return t('prompt:variables.no_name')
  if (!variableName.test(name) || unsafeNames([name]).length > 0) return t('prompt:variables.bad_name')
  return declared.some((other) => other.name === name) ? t('prompt:variables.twice') : null
}

/** The variables of the text and the declared ones, each with a sample value and its declaration. */
export function Variables({ usedNames, declared, samples, isReadOnly, onChange }: Props) {
  const [adding, setAdding] = useState('')
  const [isMissing, setMissing] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const names = [...new Set([...usedNames, ...declared.map(({ name }) => name)])]
  const setDeclaration = (next: Declared): void =>
    onChange(
      declared.some(({ name }) => name === next.name)
        ? declared.map((other) => (other.name === next.name ? next : other))
        : [...declared, next],
    )
  const name = adding.trim()
  const nameError = errorOfNew(name, declared)
  const add = (event: FormEvent): void => {
    event.preventDefault()
    if (nameError !== null) {
      setMissing(name === '')
      field.current?.focus()
      return
    }
    setDeclaration(newDeclaration(name))
    setAdding('')
  }
  return (
    <>
      {names.length === 0 ? (
        <p className="note">{t('prompt:variables.none')}</p>
      ) : (
        <ul className={styles['variables']} aria-label={t('prompt:variables.title')}>
          {names.map((variable) => {
            const declaration = declared.find((candidate) => candidate.name === variable)
            return (
              <VariableRow
                key={variable}
                name={variable}
                declaration={declaration ?? null}
                isUsed={usedNames.includes(variable)}
                sample={samples.values[variable] ?? ''}
                onSample={(value) => samples.set(variable, value)}
                isReadOnly={isReadOnly}
                onDeclare={(patch) =>
                  setDeclaration({ ...(declaration ?? newDeclaration(variable)), ...patch })
                }
                onRemove={() => onChange(declared.filter((candidate) => candidate.name !== variable))}
              />
            )
          })}
        </ul>
      )}
      {!isReadOnly && (
        <form onSubmit={add}>
          <Group gap="sm" align="flex-start" wrap="nowrap">
            <TextInput
              ref={field}
              size="xs"
              flex={1}
              aria-label={t('prompt:variables.new')}
              placeholder={t('prompt:variables.new')}
              value={adding}
              onChange={(event) => {
                setMissing(false)
                setAdding(event.currentTarget.value)
              }}
              error={name === '' && !isMissing ? null : nameError}
              maxLength={128}
              className="mono-input"
            />
            <Button type="submit" variant="default">
              {t('prompt:variables.add')}
            </Button>
          </Group>
        </form>
      )}
    </>
  )
}
