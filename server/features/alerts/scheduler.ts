import type { AlertEvaluation } from '../../../contract/alerts/alert-events.ts'
import type { DbStatus } from '../../db/types.ts'
import { createSerialQueue } from '../../lib/async/serial-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { minuteMs } from '../../lib/durations.ts'

const tickMs = 5_000
const roundMs = minuteMs
/** Without a complete round for this long, the evaluation counts as late. */
const lateMs = 3 * minuteMs
/** Pause after a round as a multiple of its duration, so that evaluation takes a tenth of the time at most. */
const pauseFactor = 9

export type SchedulerDeps = {
  readonly clock: Clock
  readonly storeStatus: () => DbStatus
  readonly evaluateAll: (signal: AbortSignal) => Promise<void>
  readonly deliverDue: (signal: AbortSignal) => Promise<void>
  readonly onError: (error: unknown) => void
}

export type AlertScheduler = {
  start(): void
  /** Runs `work` when the round in progress has ended. Its errors are logged. */
  runNext(work: () => Promise<void>): void
  evaluation(): AlertEvaluation
  close(): Promise<void>
}

/** Returns why alerts cannot be evaluated now; null if they can. */
function pauseReasonOf({ state, isFull, diskFullSince }: DbStatus): string | null {
  if (state !== 'open') return 'The store is not available, so no alert is evaluated.'
  if (diskFullSince !== null) return 'The disk is full. Runs are not stored, so no alert is evaluated.'
  if (isFull) return 'The store is full. Runs are not stored, so no alert is evaluated.'
  return null
}

/** Returns the default timer, which does not keep the process running. */
function everyByTimer(ms: number, work: () => Promise<void>): () => void {
  const handle = setInterval(() => void work(), ms)
  handle.unref()
  return () => clearInterval(handle)
}

/** Creates the timer that evaluates the alerts once a minute and sends deliveries when they are due. */
export function createScheduler(deps: SchedulerDeps): AlertScheduler {
  const { clock, storeStatus, onError } = deps
  const stopping = new AbortController()
  const rounds = createSerialQueue()
  const createdMs = clock.now().getTime()
  let completedMs: number | null = null
  let nextRoundMs = 0
  let startedRoundMs = 0
  let isEvaluating = false
  let delivery: Promise<void> | null = null
  let stop = () => {}

  const evaluateIfDue = async () => {
    const nowMs = clock.now().getTime()
    const isDue = nowMs >= nextRoundMs || nowMs < startedRoundMs
    if (isEvaluating || !isDue || pauseReasonOf(storeStatus()) !== null) return
    isEvaluating = true
    startedRoundMs = nowMs
    const startedAt = performance.now()
    try {
      await rounds.run(() => deps.evaluateAll(stopping.signal))
      completedMs = clock.now().getTime()
    } finally {
      isEvaluating = false
      const tookMs = performance.now() - startedAt
      nextRoundMs = nowMs + Math.max(roundMs, (1 + pauseFactor) * tookMs)
    }
  }
  const deliver = () => {
    delivery ??= deps.deliverDue(stopping.signal).finally(() => {
      delivery = null
    })
    return delivery
  }
  const tick = async () => {
    if (stopping.signal.aborted) return
    await evaluateIfDue().catch(onError)
    await deliver().catch(onError)
  }
  return {
    start() {
      stop = clock.every?.(tickMs, tick) ?? everyByTimer(tickMs, tick)
    },
    runNext(work) {
      if (stopping.signal.aborted || pauseReasonOf(storeStatus()) !== null) return
      rounds.run(work).catch(onError)
    },
    evaluation: () =>
      describe({
        reason: pauseReasonOf(storeStatus()),
        completedMs,
        createdMs,
        nowMs: clock.now().getTime(),
      }),
    async close() {
      stop()
      stopping.abort()
      await rounds.idle()
      await delivery?.catch(onError)
    },
  }
}

function describe(state: {
  readonly reason: string | null
  readonly completedMs: number | null
  readonly createdMs: number
  readonly nowMs: number
}): AlertEvaluation {
  const { reason, completedMs, createdMs, nowMs } = state
  const completedAt = completedMs === null ? null : new Date(completedMs).toISOString()
  if (reason !== null) return { status: 'paused', reason, completed_at: completedAt }
  if (nowMs - (completedMs ?? createdMs) > lateMs) {
    const late = 'No evaluation was completed in the last three minutes. The states below may be outdated.'
    return { status: 'late', reason: late, completed_at: completedAt }
  }
  return { status: completedMs === null ? 'starting' : 'running', reason: null, completed_at: completedAt }
}
