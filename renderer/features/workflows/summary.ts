import { t } from '../../lib/i18n.ts'
import type { EditStep } from './steps/steps.ts'

const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? ''

export function summaryOf(step: EditStep): string {
  switch (step.type) {
    case 'render':
      return firstLine(step.template ?? '')
    case 'model':
      return [step.provider, step.model, firstLine(step.template ?? '')].filter(Boolean).join(' · ')
    case 'transform':
      return [t(`workflows:transform.ops.${step.op ?? 'trim'}`), step.path].filter(Boolean).join(' · ')
    case 'agent':
      return step.agent_key ?? ''
    case 'condition':
      return typeof step.when === 'object'
        ? [step.when.value, t(`workflows:when.op.${step.when.op}`), step.when.to].filter(Boolean).join(' ')
        : (step.when ?? '')
    case 'parallel':
      return t('workflows:step.in_parallel', { count: step.steps?.length ?? 0 })
  }
}
