import type { Settings } from '../../../contract/system/settings.ts'
import { t } from '../../lib/i18n.ts'
import { BudgetFields } from '../../shared/budgets/BudgetFields.tsx'
import { BudgetMeters } from '../../shared/budgets/BudgetMeters.tsx'
import { type BudgetValues, budgetOfValues, budgetValues, isBudget } from '../../shared/budgets/values.ts'
import { useUnsaved } from '../../shared/editing/useUnsaved.ts'
import { SettingsGroup } from './SettingsGroup.tsx'
import { useSaveSettings } from './useSaveSettings.ts'

type Unsaved = { readonly budget: BudgetValues | null }
const noChanges: Unsaved = { budget: null }

/** The budget of all calls through the gateway, and its use. */
export function BudgetGroup({ settings }: { readonly settings: Settings }) {
  const current = budgetValues(settings.budget)
  const unsaved = useUnsaved('settings.budget', noChanges)
  const budget = unsaved.values.budget ?? current
  const title = t('settings:budget.title')
  const saving = useSaveSettings(title, unsaved)
  return (
    <SettingsGroup
      id="budget"
      title={title}
      purpose={t('settings:budget.purpose')}
      updated={[settings.updated['budget']]}
      saving={{
        isDirty: JSON.stringify(budget) !== JSON.stringify(current),
        ...saving.state,
        onSave: () => {
          if (isBudget(budget)) saving.mutate({ budget: budgetOfValues(budget) })
        },
      }}
    >
      {settings.budget !== null && <BudgetMeters scope="all" id={null} />}
      <BudgetFields values={budget} onChange={(changed) => unsaved.set({ budget: changed })} />
    </SettingsGroup>
  )
}
