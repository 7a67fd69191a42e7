import type { AddBudgetUsage } from '../../calls/intents/record.ts'
import { dayMs } from '../../lib/durations.ts'
import { addUsage, removeUsageBefore } from './usage.store.ts'

/** More than the longest month and the time zones, so that no current period is deleted. */
const keptDays = 70

/**
 * Creates the function that counts what calls used, in the transaction of their runs. `deletionTime`: the time by which
 * ages are measured; null while deletion is paused.
 */
export function createUsageCounter(deletionTime: () => Date | null): AddBudgetUsage {
  let newestDay = ''
  return async (tx, used) => {
    // In one order, so that transactions of two instances do not wait for each other.
    const sorted = [...used.values()].toSorted((a, b) => (a.owner + a.day < b.owner + b.day ? -1 : 1))
    for (const row of sorted) await addUsage(tx.q, row)
    const day = sorted.at(-1)?.day ?? ''
    const now = deletionTime()
    if (now === null || day <= newestDay) return
    newestDay = day
    await removeUsageBefore(tx.q, new Date(now.getTime() - keptDays * dayMs).toISOString().slice(0, 10))
  }
}
