import type { Budget, BudgetState } from '../../../contract/gateway/budgets.ts'
import type { BudgetCounter } from '../../calls/intents/record.ts'
import type { Db, Query, Tx } from '../../db/types.ts'
import type { Clock } from '../../lib/clock.ts'
import { fail } from '../../lib/fail.ts'
import { dayIn } from './calendar.ts'
import { levelOf, type Meter, metersOf, minuteAt } from './meters.ts'
import { type BudgetCall, type BudgetOwner, limitedOwners, ownersOf } from './owners.ts'
import { countRequest, storeNotice } from './usage.store.ts'
import { amountOf, limitText, nameOf } from './wording.ts'

/** A budget that is nearly or completely used up. */
export type BudgetNotice = { readonly owner: BudgetOwner; readonly meter: Meter; readonly at: Date }

export type BudgetsDeps = {
  readonly db: Db
  readonly clock: Clock
  /** The budget of all calls together. */
  readonly budgetOfAll: () => Budget | null
  /** Records a notice, in the transaction that ensures that it is the only one. */
  readonly onNotice: (tx: Tx, notice: BudgetNotice) => Promise<void>
  /** Receives errors for which no caller waits. */
  readonly onError: (error: unknown) => void
}

export type Admission = {
  /** The budgets that the use of the call counts for. */
  readonly counters: BudgetCounter[]
  /** True if it counts for a budget with a limit. */
  readonly isLimited: boolean
}

/**
 * The budgets of the gateway. The transaction that stores the intent of a call admits it if no budget is used up; the
 * transaction that stores its run counts its use. So at most the calls in flight exceed a limit.
 */
export type Budgets = {
  /** Admits a call. Throws `budget.used_up` if a budget rejects it. */
  admit(q: Query, call: BudgetCall, at: Date): Promise<Admission>
  /** Sends a notice for each budget of a call that is nearly or completely used up, once in each period. Never throws. */
  notify(call: BudgetCall): Promise<void>
  list(): Promise<BudgetState[]>
}

/** `sent`: the notices that this process sent or found in the store, so that it need not look there again. */
type State = BudgetsDeps & { readonly sent: Set<string> }

/** Maximum number of notices in memory. */
const maxSent = 10_000

export function createBudgets(deps: BudgetsDeps): Budgets {
  const state: State = { ...deps, sent: new Set() }
  return {
    admit: (q, call, at) => admit(state, q, call, at),
    notify: (call) => notify(state, call).catch(deps.onError),
    list: () => list(state),
  }
}

async function admit({ budgetOfAll }: State, q: Query, call: BudgetCall, at: Date): Promise<Admission> {
  const owners = await ownersOf(q, call, budgetOfAll())
  const usedUp: UsedUp[] = []
  for (const owner of owners) {
    if (owner.budget === null) continue
    // Counted before it is read, so that another instance waits for it.
    if (owner.budget.requests_per_minute !== null)
      await countRequest(q, { owner: owner.owner, minute: minuteAt(at) })
    if (owner.budget.mode === 'refuse') usedUp.push(...usedUpOf(owner, await metersOf(q, owner, at)))
  }
  requireUnused(usedUp, at)
  return {
    counters: owners.map(({ owner, timeZone }) => ({ owner, day: dayIn(timeZone, at) })),
    isLimited: owners.some(({ budget }) => budget !== null),
  }
}

/** Returns the use without the call itself, which is already counted in its minute. */
const before = (meter: Meter): Meter =>
  meter.limit === 'requests_per_minute' ? { ...meter, used: meter.used - 1 } : meter

/** A limit that rejects a call, and the end of its period. */
type UsedUp = { readonly owner: BudgetOwner; readonly meter: Meter; readonly end: Date }

const usedUpOf = (owner: BudgetOwner, meters: readonly Meter[]): UsedUp[] =>
  meters
    .map(before)
    .filter(({ used, max }) => used >= max)
    .map((meter) => ({ owner, meter, end: meter.resetsAt() }))

function requireUnused(usedUp: readonly UsedUp[], at: Date): void {
  // The one whose period ends last: until then, the next call would be rejected too.
  const [last] = usedUp.toSorted((a, b) => b.end.getTime() - a.end.getTime())
  if (last === undefined) return
  throw fail('budget.used_up', {
    detail: `The budget of ${nameOf(last.owner)} is used up: ${limitText(last.meter)}. Calls are accepted again at ${last.end.toISOString()}.`,
    retryAfter: Math.max(1, Math.ceil((last.end.getTime() - at.getTime()) / 1000)),
  })
}

async function notify(state: State, call: BudgetCall): Promise<void> {
  const at = state.clock.now()
  for (const owner of await ownersOf(state.db.read, call, state.budgetOfAll())) {
    const { budget } = owner
    if (budget === null) continue
    for (const meter of await metersOf(state.db.read, owner, at)) {
      const level = levelOf(meter, budget)
      if (level !== null) await sendOnce(state, level, { owner, meter, at })
    }
  }
}

async function sendOnce(state: State, level: 'warned' | 'used_up', notice: BudgetNotice): Promise<void> {
  const { owner, meter } = notice
  // With its value, because a limit that was changed can be reached again.
  const limit = `${meter.limit} ${meter.max}`
  const row = { owner: owner.owner, budget_limit: limit, level, period: meter.period }
  const name = JSON.stringify(row)
  if (state.sent.has(name)) return
  await state.db.write(async (tx) => {
    if (await storeNotice(tx.q, row)) await state.onNotice(tx, notice)
  })
  if (state.sent.size >= maxSent) state.sent.clear()
  state.sent.add(name)
}

async function list({ db, clock, budgetOfAll }: State): Promise<BudgetState[]> {
  const at = clock.now()
  const owners = await limitedOwners(db.read, budgetOfAll())
  return Promise.all(owners.map((owner) => stateOf(db.read, owner, at)))
}

async function stateOf(q: Query, owner: BudgetOwner, at: Date): Promise<BudgetState> {
  const { scope, id, name, timeZone } = owner
  const budget = owner.budget as Budget
  const meters = await metersOf(q, owner, at)
  const levels = meters.map((meter) => levelOf(meter, budget))
  return {
    scope,
    id,
    name,
    budget,
    time_zone: timeZone,
    state: levels.includes('used_up') ? 'used_up' : levels.includes('warned') ? 'warned' : 'ok',
    meters: meters.map(({ limit, max, used, resetsAt }) => ({
      limit,
      max: amountOf(limit, max),
      used: amountOf(limit, used),
      resets_at: resetsAt().toISOString(),
    })),
  }
}
