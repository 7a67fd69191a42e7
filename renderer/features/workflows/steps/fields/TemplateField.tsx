import { useId } from 'react'
import { TemplateEditor } from '../../../../shared/templates/TemplateEditor.tsx'
import styles from './fields.module.css'
import type { StepContext } from './stepContext.ts'

type Props = {
  readonly label: string
  readonly help?: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  readonly context: Pick<StepContext, 'suggestions' | 'steps' | 'isReadOnly'>
  readonly hint?: string
}

/** A template field that suggests `{{input}}`, `{{steps.<name>.output}}` and the variables of the run. */
export function TemplateField({ label, help, value, onChange, error, context, hint = '' }: Props) {
  const id = useId()
  return (
    <div className={styles['field']} data-bad={error !== undefined || undefined}>
      <span className={styles['label']} id={id}>
        {label}
      </span>
      <TemplateEditor
        value={value}
        onChange={onChange}
        label={label}
        suggestions={context.suggestions}
        declared={context.steps}
        isReadOnly={context.isReadOnly}
        hint={hint}
        isWorkflow
        isCompact
      />
      {help !== undefined && <span className={styles['help']}>{help}</span>}
      {error !== undefined && <span className={styles['error']}>{error}</span>}
    </div>
  )
}
