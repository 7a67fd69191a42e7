import type { BudgetLimit } from '../../../contract/gateway/budgets.ts'
import { type Meter, nanoPerDollar, percentOf } from './meters.ts'
import type { BudgetOwner } from './owners.ts'

const units: Readonly<Record<BudgetLimit, string>> = {
  requests_per_minute: 'requests per minute',
  tokens_per_day: 'tokens per day',
  usd_per_day: 'US dollars per day',
  usd_per_month: 'US dollars per month',
}

/** Returns an amount in the unit of the API. */
export const amountOf = (limit: BudgetLimit, value: number): number =>
  limit.startsWith('usd') ? value / nanoPerDollar : value

/** Returns the owner of a budget in a sentence. */
export function nameOf({ scope, name }: Pick<BudgetOwner, 'scope' | 'name'>): string {
  if (scope === 'all') return 'all calls'
  return scope === 'token' ? `the API token ${name}` : `the workspace ${name}`
}

/** Returns a limit in a sentence: `5 US dollars per day`. */
export const limitText = ({ limit, max }: Pick<Meter, 'limit' | 'max'>): string =>
  `${amountOf(limit, max)} ${units[limit]}`

/** Returns the sentence of a notice. */
export const noticeText = (owner: BudgetOwner, meter: Meter): string =>
  `The budget of ${nameOf(owner)} is ${meter.used >= meter.max ? 'used up' : `used to ${percentOf(meter)}%`}: ${limitText(meter)}`
