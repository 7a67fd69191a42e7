import { Budget } from '../../../contract/gateway/budgets.ts'

/** Returns the stored form of a budget. A budget without limits is none. */
export function budgetText(budget: Budget | null | undefined): string | null {
  if (budget === null || budget === undefined) return null
  const { requests_per_minute, tokens_per_day, usd_per_day, usd_per_month } = budget
  const limits = [requests_per_minute, tokens_per_day, usd_per_day, usd_per_month]
  return limits.every((limit) => limit === null) ? null : JSON.stringify(budget)
}

/** Reads a stored budget. */
export const budgetOf = (text: string | null): Budget | null =>
  text === null ? null : Budget.parse(JSON.parse(text))
