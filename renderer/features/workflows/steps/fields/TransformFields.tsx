import { NativeSelect, TextInput } from '@mantine/core'
import { transformOps } from '../../../../../contract/workflows/workflow-step.ts'
import { t } from '../../../../lib/i18n.ts'
import { fieldErrorLookup } from '../findings.ts'
import styles from './fields.module.css'
import type { StepFieldsProps } from './stepContext.ts'

/** The operation of a transform step, and the path of one that reads JSON. */
export function TransformFields({ step, onChange, context, findings }: StepFieldsProps) {
  const fieldErrorOf = fieldErrorLookup(findings)
  const { isReadOnly } = context
  return (
    <div className={styles['pair']}>
      <NativeSelect
        label={t('workflows:transform.op')}
        value={step.op ?? ''}
        disabled={isReadOnly}
        data={transformOps.map((op) => ({ value: op, label: t(`workflows:transform.ops.${op}`) }))}
        onChange={(event) => {
          const op = transformOps.find((name) => name === event.currentTarget.value)
          if (op !== undefined) onChange({ op, path: op === 'json_path' ? (step.path ?? '$') : undefined })
        }}
        error={fieldErrorOf('op')}
      />
      {step.op === 'json_path' && (
        <TextInput
          size="sm"
          label={t('workflows:transform.path')}
          description={t('workflows:transform.path_help')}
          value={step.path ?? ''}
          onChange={(event) => onChange({ path: event.currentTarget.value })}
          readOnly={isReadOnly}
          error={fieldErrorOf('path')}
          className="mono-input"
        />
      )}
    </div>
  )
}
