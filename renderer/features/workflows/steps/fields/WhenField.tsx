import { NativeSelect } from '@mantine/core'
import { comparisonOps, unaryOps, type When } from '../../../../../contract/workflows/workflow-step.ts'
import { t } from '../../../../lib/i18n.ts'
import type { FieldErrorOf } from '../../../../shared/models/fieldErrorOf.ts'
import styles from './fields.module.css'
import type { StepContext } from './stepContext.ts'
import { TemplateField } from './TemplateField.tsx'

type Props = {
  readonly when: When | undefined
  /** True for condition steps, which must have a condition. */
  readonly isRequired: boolean
  readonly onChange: (when: When | undefined) => void
  readonly context: StepContext
  readonly fieldErrorOf: FieldErrorOf
}

type Op = (typeof comparisonOps)[number]
type Kind = 'always' | 'text' | Op

const kindOf = (when: When | undefined): Kind =>
  when === undefined ? 'always' : typeof when === 'string' ? 'text' : when.op
const textOf = (when: When | undefined): string =>
  when === undefined ? '{{input}}' : typeof when === 'string' ? when : when.value

function withKind(when: When | undefined, kind: string): When | undefined {
  if (kind === 'always') return undefined
  if (kind === 'text') return textOf(when)
  const op = comparisonOps.find((name) => name === kind) ?? 'equals'
  const to = typeof when === 'object' ? (when.to ?? '') : ''
  return { value: textOf(when), op, ...(unaryOps.includes(op) ? {} : { to }) }
}

/** The field for a condition: a template that must be true, or a comparison. */
export function WhenField({ when, isRequired, onChange, context, fieldErrorOf }: Props) {
  const kind = kindOf(when)
  const label = t(isRequired ? 'workflows:when.condition' : 'workflows:when.label')
  const kinds: readonly Kind[] = [...(isRequired ? [] : (['always'] as const)), 'text', ...comparisonOps]
  return (
    <div className={styles['when']}>
      <NativeSelect
        label={label}
        value={kind}
        disabled={context.isReadOnly}
        data={kinds.map((name) => ({ value: name, label: t(`workflows:when.op.${name}`) }))}
        onChange={(event) => onChange(withKind(when, event.currentTarget.value))}
        error={when === undefined ? fieldErrorOf('when') : undefined}
      />
      {when !== undefined && (
        <TemplateField
          label={t('workflows:when.value')}
          value={textOf(when)}
          onChange={(value) => onChange(typeof when === 'string' ? value : { ...when, value })}
          error={typeof when === 'string' ? fieldErrorOf('when') : fieldErrorOf('when.value')}
          context={context}
        />
      )}
      {typeof when === 'object' && !unaryOps.includes(when.op) && (
        <TemplateField
          label={t('workflows:when.to')}
          value={when.to ?? ''}
          onChange={(to) => onChange({ ...when, to })}
          error={fieldErrorOf('when.to')}
          context={context}
        />
      )}
    </div>
  )
}
