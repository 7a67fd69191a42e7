import { isDeepStrictEqual } from 'node:util'
import type { Db, Tx } from '../../../db/types.ts'
import type { Clock } from '../../../lib/clock.ts'
import { linkOf } from '../events/link.ts'
import { type EventDeps, writeEvent } from '../events/write-event.ts'
import {
  enabledRules,
  findRule,
  findState,
  putState,
  type RuleRow,
  type StateRow,
} from '../rules/rules.store.ts'
import type { LatestReading } from '../rules/rules.wire.ts'
import { type MeasureDeps, type Measurement, measure, type StatsOf } from './measure.ts'
import { transition } from './transition.ts'

export type EvaluatorDeps = EventDeps & {
  readonly db: Db
  readonly clock: Clock
  readonly stats: StatsOf
  readonly clients: MeasureDeps['clients']
  /** Announces in a transaction that an alert, or its history, changed. */
  readonly announce: (tx: Tx, rule: Pick<RuleRow, 'id' | 'workspace_id'>) => Promise<void>
  readonly onError: (error: unknown) => void
}

export type Evaluator = {
  /** Evaluates every enabled alert once, one after the other. */
  evaluateAll(signal: AbortSignal): Promise<void>
  /** Evaluates one alert, because it is new or changed. */
  evaluate(id: string): Promise<void>
  /** Removes what is in memory about an alert, because its condition changed or it was deleted. */
  clear(id: string): void
  latest(id: string): LatestReading | undefined
}

type Parts = EvaluatorDeps & {
  readonly latest: Map<string, LatestReading>
  readonly unused: Set<string>
  readonly startedAt: Date
}

export function createEvaluator(deps: EvaluatorDeps): Evaluator {
  const parts: Parts = { ...deps, latest: new Map(), unused: new Set(), startedAt: deps.clock.now() }
  return {
    async evaluateAll(signal) {
      const now = deps.clock.now()
      // Alerts with the same filters and period share one read.
      const shared = { stats: sharedStats(deps.stats), clients: sharedOnce(deps.clients) }
      for (const rule of await enabledRules(deps.db.read)) {
        if (signal.aborted) return
        await evaluateSafely({ ...parts, ...shared }, rule, now)
      }
    },
    async evaluate(id) {
      const rule = await findRule(deps.db.read, id)
      if (rule === undefined || rule.enabled === 0) return
      await evaluateSafely(parts, rule, deps.clock.now())
    },
    clear(id) {
      parts.latest.delete(id)
      parts.unused.delete(id)
    },
    latest: (id) => parts.latest.get(id),
  }
}

function sharedStats(stats: StatsOf): StatsOf {
  const known = new Map<string, ReturnType<StatsOf>>()
  return (query) => {
    const key = JSON.stringify(query)
    const result = known.get(key) ?? stats(query)
    known.set(key, result)
    return result
  }
}

function sharedOnce<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= read()
    return result
  }
}

/** Evaluates an alert. A failure is logged and shown at the alert, and does not stop the others. */
async function evaluateSafely(parts: Parts, rule: RuleRow, now: Date): Promise<void> {
  try {
    await evaluate(parts, rule, now)
  } catch (error) {
    parts.onError(error)
    const reason = 'The evaluation failed; the log of the service has the error.'
    parts.latest.set(rule.id, { value: null, reason, at: now })
  }
}

async function evaluate(parts: Parts, rule: RuleRow, now: Date): Promise<void> {
  const { db, latest } = parts
  const state = await findState(db.read, rule.id)
  const measurement = await measure({ ...parts, read: db.read }, rule, {
    now,
    hasSeenRuns: state?.has_seen_runs === 1,
  })
  const { value, reason = null } = measurement.reading
  latest.set(rule.id, { value, reason, at: now })
  await storeResult(parts, { rule, state, measurement, now })
}

type Result = {
  readonly rule: RuleRow
  readonly state: StateRow | undefined
  readonly measurement: Measurement
  readonly now: Date
}

/** Stores the new state and its event. Writes nothing if the state is the same. */
async function storeResult(parts: Parts, { rule, state, measurement, now }: Result): Promise<void> {
  const { reading, hasRuns = false } = measurement
  const next = transition(state, reading, now.getTime())
  const row: StateRow = {
    ...next.state,
    alert_id: rule.id,
    has_seen_runs: Number(hasRuns || state?.has_seen_runs === 1),
  }
  if (isDeepStrictEqual({ ...state }, row)) return
  await parts.db.write(
    async (tx) => {
      // Measured with what is no longer the alert: the next evaluation decides.
      if (!isDeepStrictEqual(await findRule(tx.q, rule.id), rule)) return
      await putState(tx.q, row)
      if (next.event !== null) {
        const link = linkOf(rule, {
          at: now,
          workspace: measurement.workspace,
          provider: measurement.provider,
        })
        await writeEvent(parts, tx, rule, { ...next.event, value: reading.value, link, at: now })
      }
      if (row.status !== state?.status) await parts.announce(tx, rule)
    },
    { evenWhenFull: true },
  )
}
