import { type Budget, type BudgetLimit, budgetLimits } from '../../../contract/gateway/budgets.ts'

/** A budget as the fields of a form show it. */
export type BudgetValues = Readonly<Record<BudgetLimit | 'warn_at_percent', string>> & {
  readonly mode: Budget['mode']
}

const textOf = (value: number | null): string => (value === null ? '' : String(value))

export const budgetValues = (budget: Budget | null): BudgetValues => ({
  requests_per_minute: textOf(budget?.requests_per_minute ?? null),
  tokens_per_day: textOf(budget?.tokens_per_day ?? null),
  usd_per_day: textOf(budget?.usd_per_day ?? null),
  usd_per_month: textOf(budget?.usd_per_month ?? null),
  mode: budget?.mode ?? 'refuse',
  warn_at_percent: String(budget?.warn_at_percent ?? 80),
})

const limitPattern: Readonly<Record<BudgetLimit, RegExp>> = {
  requests_per_minute: /^\d{1,12}$/,
  tokens_per_day: /^\d{1,12}$/,
  usd_per_day: /^\d{1,6}(?:\.\d{1,6})?$/,
  usd_per_month: /^\d{1,6}(?:\.\d{1,6})?$/,
}

export const isLimit = (limit: BudgetLimit, text: string): boolean =>
  text.trim() === '' || (limitPattern[limit].test(text.trim()) && Number(text) > 0)

export const isPercent = (text: string): boolean =>
  /^\d{1,3}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= 100

export const isBudget = (values: BudgetValues): boolean =>
  budgetLimits.every((limit) => isLimit(limit, values[limit])) && isPercent(values.warn_at_percent)

const numberOf = (text: string): number | null => (text.trim() === '' ? null : Number(text))

/** Returns the budget of valid fields; null without a limit. */
export function budgetOfValues(values: BudgetValues): Budget | null {
  if (budgetLimits.every((limit) => values[limit].trim() === '')) return null
  return {
    requests_per_minute: numberOf(values.requests_per_minute),
    tokens_per_day: numberOf(values.tokens_per_day),
    usd_per_day: numberOf(values.usd_per_day),
    usd_per_month: numberOf(values.usd_per_month),
    mode: values.mode,
    warn_at_percent: Number(values.warn_at_percent),
  }
}
