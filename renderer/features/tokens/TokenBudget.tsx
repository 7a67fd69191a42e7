import '../../shared/budgets/budgets.texts.ts'
import { useQueryClient } from '@tanstack/react-query'
import type { ApiToken } from '../../../contract/accounts/tokens.ts'
import { t } from '../../lib/i18n.ts'
import { client, invalidateEntities } from '../../lib/service/api.ts'
import { BudgetFields } from '../../shared/budgets/BudgetFields.tsx'
import { BudgetMeters } from '../../shared/budgets/BudgetMeters.tsx'
import { type BudgetValues, budgetOfValues, budgetValues, isBudget } from '../../shared/budgets/values.ts'
import { FormModal } from '../../ui/dialog/FormModal.tsx'
import { toast } from '../../ui/feedback/toast.ts'

type Props = { readonly token: ApiToken; readonly onClose: () => void }

/** A dialog with what a token has used of its budget, and its limits. */
export function TokenBudget({ token, onClose }: Props) {
  const queries = useQueryClient()
  const save = async ({ budget }: { readonly budget: BudgetValues }): Promise<void> => {
    await client.tokens.update({ params: { id: token.id }, body: { budget: budgetOfValues(budget) } })
    await invalidateEntities(queries, 'token', 'audit', 'run')
    toast(t('tokens:decided', { name: token.name }))
  }
  return (
    <FormModal<{ budget: BudgetValues }>
      title={t('budgets:token_title', { name: token.name })}
      initial={{ budget: budgetValues(token.budget) }}
      submitLabel={t('common:save')}
      onSubmit={save}
      onClose={onClose}
      rules={{ budget: (budget) => (isBudget(budget) ? null : t('budgets:invalid')) }}
    >
      {(form) => (
        <>
          {token.budget !== null && <BudgetMeters scope="token" id={token.id} />}
          <div className="dimmed">{t('budgets:help')}</div>
          <BudgetFields
            values={form.values.budget}
            onChange={(budget) => form.setFieldValue('budget', budget)}
          />
        </>
      )}
    </FormModal>
  )
}
