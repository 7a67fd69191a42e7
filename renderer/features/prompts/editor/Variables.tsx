import { Button, Group, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { unsafeNames, variableName } from '../../../../contract/formats/template.ts'
import { t } from '../../../lib/i18n.ts'
import styles from './edit.module.css'
import type { Declared } from './editing.ts'
import type { Samples } from './samples.ts'
import { VariableRow } from './VariableRow.tsx'

type Props = {
  /** The variables of the text, in order of appearance. */
  readonly found: readonly string[]
  readonly declared: readonly Declared[]
  readonly samples: Samples
  readonly isReadOnly: boolean
  readonly onChange: (declared: readonly Declared[]) => void
}

const plain = (name: string): Declared => ({
  name,
  required: true,
  default: null,
  description: '',
  type: 'string',
})

/** The variables of the text and the declared ones, each with a sample value and its declaration. */
export function Variables({ found, declared, samples, isReadOnly, onChange }: Props) {
  const [adding, setAdding] = useState('')
  const names = [...new Set([...found, ...declared.map(({ name }) => name)])]
  const put = (next: Declared): void =>
    onChange(
      declared.some(({ name }) => name === next.name)
        ? declared.map((one) => (one.name === next.name ? next : one))
        : [...declared, next],
    )
  const name = adding.trim()
  const fault =
    name === ''
      ? null
      : !variableName.test(name) || unsafeNames([name]).length > 0
        ? t('prompt:variables.bad_name')
        : declared.some((one) => one.name === name)
          ? t('prompt:variables.twice')
          : null
  const add = (event: FormEvent): void => {
    event.preventDefault()
    if (name === '' || fault !== null) return
    put(plain(name))
    setAdding('')
  }
  return (
    <>
      {names.length === 0 ? (
        <p className={styles['note']}>{t('prompt:variables.none')}</p>
      ) : (
        <ul className={styles['variables']} aria-label={t('prompt:variables.title')}>
          {names.map((one) => {
            const declaration = declared.find((candidate) => candidate.name === one)
            return (
              <VariableRow
                key={one}
                name={one}
                declaration={declaration ?? null}
                isUsed={found.includes(one)}
                sample={samples.values[one] ?? ''}
                onSample={(value) => samples.set(one, value)}
                isReadOnly={isReadOnly}
                onDeclare={(patch) => put({ ...(declaration ?? plain(one)), ...patch })}
                onForget={() => onChange(declared.filter((candidate) => candidate.name !== one))}
              />
            )
          })}
        </ul>
      )}
      {!isReadOnly && (
        <form onSubmit={add}>
          <Group gap="sm" align="flex-start" wrap="nowrap">
            <TextInput
              size="xs"
              flex={1}
              aria-label={t('prompt:variables.new')}
              placeholder={t('prompt:variables.new')}
              value={adding}
              onChange={(event) => setAdding(event.currentTarget.value)}
              error={fault}
              maxLength={128}
              styles={{ input: { fontFamily: 'var(--pd-font-mono)' } }}
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
