import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { BudgetUse } from '../../../server/calls/intents/record.ts'
import type { Db } from '../../../server/db/types.ts'
import { type Admission, createBudgets } from '../../../server/gateway/budgets/budgets.ts'
import { dayIn, endOf } from '../../../server/gateway/budgets/calendar.ts'
import { createUsageCounter } from '../../../server/gateway/budgets/count-usage.ts'
import { Problem } from '../../../server/lib/fail.ts'
import { openTestStore, removeTestStore } from '../../support/store.ts'

let folder: string
let db: Db
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptdeck-budgets-'))
  db = await openTestStore({ folder })
})
afterAll(async () => {
  await db.close()
  await removeTestStore(folder)
  await rm(folder, { recursive: true, force: true })
})

const zones = [
  'UTC',
  'Pacific/Auckland',
  'America/St_Johns',
  'America/Havana',
  'Asia/Kathmandu',
  'Pacific/Apia',
]
const schedules = 1_000
/** The largest call. */
const maxTokens = 60
let created = 0

/** A call begins or ends; `pick` chooses which of the open ones ends. */
const step = fc.record({
  begins: fc.boolean(),
  pick: fc.nat(),
  tokens: fc.integer({ min: 0, max: maxTokens }),
  minutes: fc.integer({ min: 0, max: 300 }),
})
const schedule = fc.record({
  zone: fc.constantFrom(...zones),
  limit: fc.integer({ min: 1, max: 200 }),
  perMinute: fc.option(fc.integer({ min: 1, max: 4 }), { nil: null }),
  start: fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
  steps: fc.array(step, { minLength: 6, maxLength: 14 }),
})
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never

const budgetOfAll = () => null
const addUsage = createUsageCounter(() => null)

async function addWorkspace({ zone, limit, perMinute }: Schedule): Promise<string> {
  const id = `w${++created}`
  const budget = {
    requests_per_minute: perMinute,
    tokens_per_day: limit,
    usd_per_day: null,
    usd_per_month: null,
    mode: 'refuse',
    warn_at_percent: 80,
  }
  await db.write(({ q }) =>
    q
      .insertInto('workspaces')
      .values({
        id,
        slug: id,
        name: id,
        name_folded: id,
        description: '',
        protected_envs: '',
        capture: null,
        time_zone: zone,
        budget: JSON.stringify(budget),
        created_at: 0,
        updated_at: 0,
      })
      .execute()
      .then(() => undefined),
  )
  return id
}

/** Returns what a call counts for; null if a budget refuses it. */
async function admissionOf<T>(admit: () => Promise<T>): Promise<T | null> {
  try {
    return await admit()
  } catch (error) {
    if (error instanceof Problem && error.code === 'budget.used_up') return null
    throw error
  }
}

/** The calls of one schedule, in the store and in a model of it. */
function createModel(given: Schedule, workspaceId: string) {
  const { zone, limit, perMinute } = given
  let at = given.start
  const budgets = createBudgets({
    db,
    clock: { now: () => at },
    budgetOfAll,
    onNotice: async () => undefined,
    onError: (error) => {
      throw error
    },
  })
  const open: { readonly day: string; readonly admission: Admission }[] = []
  const spent = new Map<string, number>()
  const requests = new Map<number, number>()
  /** The most calls of a day that were in flight at once. */
  const inFlight = new Map<string, number>()

  const admit = async (): Promise<boolean> => {
    const admission = await admissionOf(() =>
      db.write(({ q }) => budgets.admit(q, { tokenId: null, workspaceId }, at)),
    )
    if (admission !== null) open.push({ day: dayIn(zone, at), admission })
    return admission !== null
  }
  return {
    open,
    admit,
    now: () => at,
    setNow: (time: Date) => {
      at = time
    },
    async begin(): Promise<void> {
      const day = dayIn(zone, at)
      const minute = Math.floor(at.getTime() / 60_000)
      const used = requests.get(minute) ?? 0
      const mayBegin = (spent.get(day) ?? 0) < limit && (perMinute === null || used < perMinute)
      expect(await admit()).toBe(mayBegin)
      if (mayBegin) requests.set(minute, used + 1)
      const count = open.filter((call) => call.day === day).length
      inFlight.set(day, Math.max(inFlight.get(day) ?? 0, count))
    },
    async end({ day, admission }: (typeof open)[number], tokens: number): Promise<void> {
      const used: BudgetUse = new Map(
        admission.counters.map((counter) => [counter.owner, { ...counter, tokens, cost_nano: 0 }]),
      )
      await db.write((tx) => addUsage(tx, used))
      spent.set(day, (spent.get(day) ?? 0) + tokens)
    },
    expectOvershootInFlight(): void {
      for (const [day, tokens] of spent)
        expect(tokens).toBeLessThan(limit + (inFlight.get(day) ?? 0) * maxTokens + 1)
    },
  }
}

/** Runs a schedule against the store, and checks each decision against a model. */
async function check(given: Schedule): Promise<void> {
  const { zone, steps } = given
  const model = createModel(given, await addWorkspace(given))
  for (const { begins, pick, tokens, minutes } of steps) {
    if (begins || model.open.length === 0) await model.begin()
    else {
      for (const call of model.open.splice(pick % model.open.length, 1)) await model.end(call, tokens)
      model.setNow(new Date(model.now().getTime() + minutes * 60_000))
    }
  }
  model.expectOvershootInFlight()
  const day = dayIn(zone, model.now())
  const midnight = endOf('day', zone, model.now())
  expect(dayIn(zone, new Date(midnight.getTime() - 1))).toBe(day)
  expect(dayIn(zone, midnight)).not.toBe(day)
  model.setNow(midnight)
  expect(await model.admit()).toBe(true)
}

it('overshoots by the calls in flight at most, and opens again after midnight, in random schedules', {
  timeout: 120_000,
}, async () => {
  const samples = fc.sample(schedule, { numRuns: schedules, seed: 16 })
  // Many at once, as transactions of the store.
  const width = 50
  for (let from = 0; from < samples.length; from += width)
    await Promise.all(samples.slice(from, from + width).map(check))
  expect(created).toBe(schedules)
})
