import { Button } from '@mantine/core'
import { useDeferredValue, useMemo } from 'react'
import { t } from '../../../lib/i18n.ts'
import { TemplateEditor } from '../../../shared/templates/TemplateEditor.tsx'
import styles from '../playground.module.css'

type Props = {
  readonly value: string
  readonly onChange: (next: string) => void
  readonly read: (text: string) => { readonly fault: string | null }
  readonly label: string
  readonly help: string
  readonly example: string
}

/** A JSON field that displays the error below while the text is invalid. */
export function JsonField({ value, onChange, read, label, help, example }: Props) {
  const text = useDeferredValue(value)
  const { fault } = useMemo(() => read(text), [read, text])
  return (
    <>
      <div className={styles['json']} data-bad={fault !== null || undefined}>
        <TemplateEditor
          value={value}
          onChange={onChange}
          label={label}
          known={[]}
          declared={[]}
          language="json"
        />
      </div>
      {fault === null ? (
        <p className={styles['note']}>
          {help}{' '}
          {value === '' && (
            <Button size="compact-xs" variant="subtle" onClick={() => onChange(example)}>
              {t('playground:json.insert')}
            </Button>
          )}
        </p>
      ) : (
        <p className={styles['bad']} role="alert">
          {fault}
        </p>
      )}
    </>
  )
}
