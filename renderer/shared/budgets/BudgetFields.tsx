import './budgets.texts.ts'
import { NativeSelect, SimpleGrid, TextInput } from '@mantine/core'
import { type BudgetLimit, budgetLimits } from '../../../contract/gateway/budgets.ts'
import { t } from '../../lib/i18n.ts'
import { type BudgetValues, isLimit, isPercent } from './values.ts'

type Props = {
  readonly values: BudgetValues
  readonly onChange: (values: BudgetValues) => void
  readonly disabled?: boolean
}

export function BudgetFields({ values, onChange, disabled = false }: Props) {
  const field = (limit: BudgetLimit) => (
    <TextInput
      key={limit}
      label={t(`budgets:limit.${limit}`)}
      placeholder={t('budgets:empty')}
      inputMode={limit.startsWith('usd') ? 'decimal' : 'numeric'}
      maxLength={13}
      disabled={disabled}
      value={values[limit]}
      onChange={(event) => onChange({ ...values, [limit]: event.currentTarget.value })}
      error={isLimit(limit, values[limit]) ? null : t('budgets:invalid')}
    />
  )
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="md">
        {budgetLimits.map(field)}
      </SimpleGrid>
      <NativeSelect
        label={t('budgets:mode')}
        disabled={disabled}
        value={values.mode}
        onChange={(event) =>
          onChange({ ...values, mode: event.currentTarget.value === 'warn' ? 'warn' : 'refuse' })
        }
        data={(['refuse', 'warn'] as const).map((value) => ({ value, label: t(`budgets:mode_${value}`) }))}
      />
      <TextInput
        label={t('budgets:warn_at')}
        description={t('budgets:warn_at_help')}
        inputMode="numeric"
        maxLength={3}
        disabled={disabled}
        rightSection={<span className="dimmed">%</span>}
        value={values.warn_at_percent}
        onChange={(event) => onChange({ ...values, warn_at_percent: event.currentTarget.value })}
        error={isPercent(values.warn_at_percent) ? null : t('budgets:invalid_percent')}
      />
    </>
  )
}
