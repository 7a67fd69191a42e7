import { NativeSelect } from '@mantine/core'
import { IconAsterisk } from '@tabler/icons-react'
import type { Variable } from '../../../../contract/prompts/prompt.ts'
import { t } from '../../../lib/i18n.ts'
import { Textarea } from '../../../ui/input/Textarea.tsx'
import type { FieldErrors } from '../column/parameters.ts'
import type { Texts } from '../input/texts.ts'
import styles from '../playground.module.css'
import { PlaceholderValue } from './PlaceholderValue.tsx'

type Props = {
  readonly texts: Texts
  readonly values: Readonly<Record<string, string>>
  readonly errors: FieldErrors
  readonly onChange: (values: Record<string, string>) => void
}

/** A field for each variable of the texts to run, according to its declaration. */
export function Values({ texts, values, errors, onChange }: Props) {
  if (texts.names.length === 0) return <p className="note">{t('playground:values.none')}</p>
  return (
    <ul className={styles['values']} aria-label={t('playground:values.title')}>
      {texts.names.map((name) => {
        const onValue = (value: string): void => {
          const { [name]: _, ...others } = values
          onChange(value === '' ? others : { ...others, [name]: value })
        }
        return texts.isPlaceholder(name) ? (
          <PlaceholderValue
            key={name}
            name={name}
            value={values[name] ?? ''}
            error={errors[name]}
            onChange={onValue}
          />
        ) : (
          <Value
            key={name}
            name={name}
            declaration={texts.declarationOf(name)}
            value={values[name] ?? ''}
            error={errors[name]}
            onChange={onValue}
          />
        )
      })}
    </ul>
  )
}

type ValueProps = {
  readonly name: string
  readonly declaration: Variable | undefined
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

function Value({ name, declaration, value, error, onChange }: ValueProps) {
  const fallback = declaration?.default ?? null
  const isRequired = fallback === null && declaration?.required !== false
  const type = declaration?.type ?? 'string'
  const hint =
    fallback !== null
      ? t('playground:values.default', { value: String(fallback) })
      : isRequired
        ? t(`playground:values.hint.${type}`)
        : t('playground:values.optional')
  const field = {
    size: 'xs',
    'aria-label': name,
    error,
    ...(declaration?.description ? { description: declaration.description } : {}),
  } as const
  return (
    <li className={styles['value']}>
      <span className={styles['valueName']}>
        <span className={`mono truncate ${styles['pill']}`} title={name}>
          {name}
        </span>
        {isRequired && <IconAsterisk size={10} role="img" aria-label={t('playground:values.required')} />}
      </span>
      {type === 'boolean' ? (
        <NativeSelect
          {...field}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          data={[
            { value: '', label: hint },
            { value: 'true', label: 'true' },
            { value: 'false', label: 'false' },
          ]}
        />
      ) : (
        <Textarea
          {...field}
          maxRows={8}
          placeholder={hint}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          {...(type === 'string' ? {} : { classNames: { input: styles['monoInput'] ?? '' } })}
          {...(type === 'number' ? { inputMode: 'decimal' } : {})}
        />
      )}
    </li>
  )
}
