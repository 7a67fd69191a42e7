import { TextInput } from '@mantine/core'
import { t } from '../../../../lib/i18n.ts'
import { fieldErrorLookup } from '../findings.ts'
import { AgentFields } from './AgentFields.tsx'
import styles from './fields.module.css'
import { LimitFields } from './LimitFields.tsx'
import { ModelStepFields } from './ModelStepFields.tsx'
import type { StepFieldsProps } from './stepContext.ts'
import { TemplateField } from './TemplateField.tsx'
import { TransformFields } from './TransformFields.tsx'
import { WhenField } from './WhenField.tsx'

/** The fields of a step, without its nested steps. */
export function StepFields({ step, onChange, context, findings }: StepFieldsProps) {
  const fieldErrorOf = fieldErrorLookup(findings)
  const { isReadOnly } = context
  const isCondition = step.type === 'condition'
  const hasLimits = step.type !== 'render' && step.type !== 'transform'
  return (
    <div className={styles['fields']}>
      <TextInput
        size="sm"
        label={t('workflows:step.name')}
        value={step.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        readOnly={isReadOnly}
        maxLength={64}
        error={fieldErrorOf('name')}
        className="mono-input"
      />
      {isCondition && (
        <WhenField
          when={step.when}
          isRequired
          onChange={(when) => onChange({ when })}
          context={context}
          fieldErrorOf={fieldErrorOf}
        />
      )}
      {step.type === 'transform' && (
        <TransformFields step={step} onChange={onChange} context={context} findings={findings} />
      )}
      {step.template !== undefined && (
        <TemplateField
          label={t(
            `workflows:template.${step.type === 'transform' || step.type === 'model' ? step.type : 'render'}`,
          )}
          value={step.template}
          onChange={(template) => onChange({ template })}
          error={fieldErrorOf('template')}
          context={context}
          hint={t('workflows:template.hint')}
        />
      )}
      {step.type === 'agent' && (
        <AgentFields step={step} onChange={onChange} context={context} fieldErrorOf={fieldErrorOf} />
      )}
      {step.type === 'model' && (
        <ModelStepFields step={step} onChange={onChange} context={context} findings={findings} />
      )}
      {hasLimits && (
        <LimitFields step={step} onChange={onChange} isReadOnly={isReadOnly} fieldErrorOf={fieldErrorOf} />
      )}
      {!isCondition && (
        <WhenField
          when={step.when}
          isRequired={false}
          onChange={(when) => onChange({ when })}
          context={context}
          fieldErrorOf={fieldErrorOf}
        />
      )}
    </div>
  )
}
