import { type Budget, type BudgetLimit, budgetLimits } from '../../../contract/gateway/budgets.ts'
import type { Query } from '../../db/types.ts'
import { minuteMs } from '../../lib/durations.ts'
import { dayIn, endOf, monthOf } from './calendar.ts'
import type { BudgetOwner } from './owners.ts'
import { requestsIn, usageFrom } from './usage.store.ts'

/** The use of one limit. Money: nano-dollars. */
export type Meter = {
  readonly limit: BudgetLimit
  readonly max: number
  readonly used: number
  /** The day or month that is counted; for requests the day, so that notices are not sent each minute. */
  readonly period: string
  readonly resetsAt: () => Date
}

export const nanoPerDollar = 1e9

export const minuteAt = (at: Date): number => Math.floor(at.getTime() / minuteMs)

const maxOf = (budget: Budget, limit: BudgetLimit): number | null => {
  const max = budget[limit]
  return max !== null && limit.startsWith('usd') ? Math.round(max * nanoPerDollar) : max
}

/** Reads the use of the limits of an owner. */
export async function metersOf(
  q: Query,
  { owner, budget, timeZone }: BudgetOwner,
  at: Date,
): Promise<Meter[]> {
  if (budget === null) return []
  const day = dayIn(timeZone, at)
  const month = monthOf(day)
  const hasSums =
    budget.tokens_per_day !== null || budget.usd_per_day !== null || budget.usd_per_month !== null
  const days = hasSums ? await usageFrom(q, owner, `${month}-01`) : []
  const today = days.find((row) => row.day === day)
  const requests = budget.requests_per_minute === null ? 0 : await requestsIn(q, owner, minuteAt(at))
  const ofMonth = days.filter((row) => monthOf(row.day) === month)
  const used: Readonly<Record<BudgetLimit, number>> = {
    requests_per_minute: requests,
    tokens_per_day: today?.tokens ?? 0,
    usd_per_day: today?.cost_nano ?? 0,
    usd_per_month: ofMonth.reduce((sum, row) => sum + row.cost_nano, 0),
  }
  const ends: Readonly<Record<BudgetLimit, () => Date>> = {
    requests_per_minute: () => new Date((minuteAt(at) + 1) * minuteMs),
    tokens_per_day: () => endOf('day', timeZone, at),
    usd_per_day: () => endOf('day', timeZone, at),
    usd_per_month: () => endOf('month', timeZone, at),
  }
  return budgetLimits.flatMap((limit) => {
    const max = maxOf(budget, limit)
    const period = limit === 'usd_per_month' ? month : day
    return max === null ? [] : [{ limit, max, used: used[limit], period, resetsAt: ends[limit] }]
  })
}

/** Returns the use as a share of the limit, in percent. */
export const percentOf = ({ used, max }: Pick<Meter, 'used' | 'max'>): number =>
  Math.floor((used / max) * 1000) / 10

/** Returns the level of the notice for a limit; null below the percentage from which notices are sent. */
export function levelOf(meter: Meter, { warn_at_percent: from }: Budget): 'warned' | 'used_up' | null {
  if (meter.used >= meter.max) return 'used_up'
  return percentOf(meter) >= from ? 'warned' : null
}
