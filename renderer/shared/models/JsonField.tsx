import { useMemo, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { Textarea } from '../../ui/input/Textarea.tsx'

type Props = {
  readonly label: string
  readonly description?: string
  /** A JSON object, or null for none. Other text stays a string, which the service rejects. */
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly isReadOnly?: boolean
  readonly error?: string | undefined
  readonly placeholder?: string
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parse(text: string): unknown {
  if (text.trim() === '') return null
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : text
  } catch {
    return text
  }
}

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value, null, 2)

/** Returns the reason why a value of a `JsonField` is not a JSON object; undefined if it is one. */
export function jsonError(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  try {
    JSON.parse(value)
    return t('model:json.no_object')
  } catch (error) {
    return t('model:json.bad', { reason: error instanceof Error ? error.message : '' })
  }
}

/** Field for a JSON object. It keeps the typed text even while that is not valid JSON. */
export function JsonField({ value, onChange, isReadOnly = false, error, ...labels }: Props) {
  const [typed, setTyped] = useState(() => ({ value, text: textOf(value) }))
  if (typed.value !== value) {
    // The value was set elsewhere, if it is not equal: discarded, or another version.
    const isEqual = JSON.stringify(parse(typed.text)) === JSON.stringify(value ?? null)
    setTyped({ value, text: isEqual ? typed.text : textOf(value) })
  }
  const jsonProblem = useMemo(() => jsonError(value), [value])
  return (
    <Textarea
      {...labels}
      size="sm"
      value={typed.text}
      onChange={({ currentTarget: { value: text } }) => {
        const next = parse(text)
        setTyped({ value: next, text })
        onChange(next)
      }}
      readOnly={isReadOnly}
      error={jsonProblem ?? error}
      styles={{ input: { fontFamily: 'var(--pd-font-mono)', fontSize: 12 } }}
      minRows={3}
      maxRows={16}
      autoComplete="off"
      spellCheck={false}
    />
  )
}
