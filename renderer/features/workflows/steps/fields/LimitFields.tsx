import { NumberInput } from '@mantine/core'
import { t } from '../../../../lib/i18n.ts'
import type { FieldErrorOf } from '../../../../shared/models/fieldErrorOf.ts'
import type { EditStep, Retry } from '../steps.ts'
import styles from './fields.module.css'

type Props = {
  readonly step: EditStep
  readonly onChange: (patch: Partial<EditStep>) => void
  readonly isReadOnly: boolean
  readonly fieldErrorOf: FieldErrorOf
}

const defaultRetry: Retry = { max: 0, backoff_ms: 1000 }

/** The fields for timeout and retries of a step. */
export function LimitFields({ step, onChange, isReadOnly, fieldErrorOf }: Props) {
  const hasRetry = step.type === 'model' || step.type === 'agent'
  const retry = step.retry ?? defaultRetry
  const setRetry = (patch: Partial<Retry>): void => {
    const next = { ...retry, ...patch }
    onChange({ retry: next.max === 0 ? undefined : next })
  }
  return (
    <div className={styles['limits']}>
      <NumberInput
        size="sm"
        label={t(hasRetry ? 'workflows:limit.attempt' : 'workflows:limit.timeout')}
        value={step.timeout_ms ?? ''}
        onChange={(value) => onChange({ timeout_ms: typeof value === 'number' ? value : undefined })}
        readOnly={isReadOnly}
        min={100}
        max={600_000}
        allowDecimal={false}
        suffix=" ms"
        placeholder={t('workflows:limit.none')}
        error={fieldErrorOf('timeout_ms')}
        hideControls
      />
      {hasRetry && (
        <>
          <NumberInput
            size="sm"
            label={t('workflows:limit.retries')}
            value={retry.max}
            onChange={(value) => setRetry({ max: typeof value === 'number' ? value : 0 })}
            readOnly={isReadOnly}
            min={0}
            max={5}
            allowDecimal={false}
            error={fieldErrorOf('retry.max')}
          />
          <NumberInput
            size="sm"
            label={t('workflows:limit.backoff')}
            value={retry.backoff_ms}
            onChange={(value) => setRetry({ backoff_ms: typeof value === 'number' ? value : 0 })}
            readOnly={isReadOnly}
            disabled={retry.max === 0}
            min={0}
            max={60_000}
            allowDecimal={false}
            suffix=" ms"
            error={fieldErrorOf('retry.backoff_ms')}
            hideControls
          />
        </>
      )}
    </div>
  )
}
