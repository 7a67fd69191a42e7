import { Button } from '@mantine/core'
import { useDeferredValue, useMemo } from 'react'
import { t } from '../../../lib/i18n.ts'
import { TemplateEditor } from '../../../shared/templates/TemplateEditor.tsx'
import styles from '../playground.module.css'

type Props = {
  readonly value: string
  readonly onChange: (next: string) => void
  readonly parse: (text: string) => { readonly error: string | null }
  readonly label: string
  readonly help: string
  readonly example: string
}

/** A JSON field that displays the error below while the text is invalid. */
export function JsonField({ value, onChange, parse, label, help, example }: Props) {
  const text = useDeferredValue(value)
  const { error } = useMemo(() => parse(text), [parse, text])
  return (
    <>
      <div className={styles['json']} data-bad={error !== null || undefined}>
        <TemplateEditor
          value={value}
          onChange={onChange}
          label={label}
          suggestions={[]}
          declared={[]}
          language="json"
        />
      </div>
      {error === null ? (
        <p className="note">
          {help}{' '}
          {value === '' && (
            <Button size="compact-xs" variant="subtle" onClick={() => onChange(example)}>
              {t('playground:json.insert')}
            </Button>
          )}
        </p>
      ) : (
        <p className={styles['bad']} role="alert">
          {error}
        </p>
      )}
    </>
  )
}
