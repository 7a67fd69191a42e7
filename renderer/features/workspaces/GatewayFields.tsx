import '../../shared/budgets/budgets.texts.ts'
import { NativeSelect } from '@mantine/core'
import { defaultTimeZone } from '../../../contract/gateway/budgets.ts'
import { t } from '../../lib/i18n.ts'
import { BudgetFields } from '../../shared/budgets/BudgetFields.tsx'
import type { BudgetValues } from '../../shared/budgets/values.ts'
import styles from './workspaces.module.css'

type Props = {
  readonly time_zone: string
  readonly budget: BudgetValues
  /** Null: the user may change the fields. */
  readonly disabledReason: string | null
  readonly onTimeZone: (zone: string) => void
  readonly onBudget: (budget: BudgetValues) => void
}

/** Returns the time zones that the browser knows, with the current one. */
const zonesWith = (current: string): string[] => [
  ...new Set([defaultTimeZone, current, ...Intl.supportedValuesOf('timeZone')]),
]

/** The time zone of a workspace, and the budget of the calls through the gateway in it. */
export function GatewayFields({ time_zone: zone, budget, disabledReason, onTimeZone, onBudget }: Props) {
  return (
    <>
      <NativeSelect
        label={t('budgets:time_zone')}
        description={disabledReason ?? t('budgets:time_zone_help')}
        disabled={disabledReason !== null}
        data={zonesWith(zone)}
        value={zone}
        onChange={(event) => onTimeZone(event.currentTarget.value)}
      />
      <div>
        <h3 className={styles['subtitle']}>{t('budgets:title')}</h3>
        <p className={styles['note']}>{t('budgets:help')}</p>
      </div>
      <BudgetFields values={budget} onChange={onBudget} disabled={disabledReason !== null} />
    </>
  )
}
