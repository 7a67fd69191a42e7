import type { Logger } from 'pino'
import type { Clock } from '../../lib/clock.ts'
import type { Every } from '../../lib/every.ts'
import { source as receivedSource } from '../convert/report.ts'
import type { ExportedRun } from './exported-run.ts'
import { type Exporter, metricsMessage, traceMessage } from './messages.ts'
import { type ExportSignal, type SendDeps, type Sent, send } from './send.ts'

/** Numbers since the start, for the metrics of the service. */
export type ExportCounts = { readonly sent: number; readonly dropped: number; readonly queued: number }

/** Sends stored runs to a collector, as spans and metrics. */
export type RunExporter = {
  /** Adds runs to the queue and returns immediately. Runs that do not fit are dropped and counted. */
  add(runs: readonly ExportedRun[]): void
  counts(): ExportCounts
  start(): void
  /** Sends what is queued, once, and ends. */
  close(): Promise<void>
}

export type RunExporterDeps = {
  readonly sending: SendDeps
  readonly exporter: Exporter
  readonly clock: Pick<Clock, 'now'>
  readonly every: Every
  readonly logger: Pick<Logger, 'warn'>
}

/** Maximum number of runs in the queue: about 8 MB. */
const maxQueued = 8192
const batchSize = 512
const tickMs = 1000
/** Time after which an incomplete batch is sent. */
const maxWaitMs = 5000
const maxAttempts = 8
const backOff = { firstMs: 1000, maxMs: 60_000 }
/** The longest delay that a collector can ask for: meanwhile the queue fills up. */
const maxRetryAfterMs = 300_000
/** Time limit of the last attempt while the service stops. */
const closeLimitMs = 2000

type Batch = {
  readonly runs: readonly ExportedRun[]
  readonly remaining: Set<ExportSignal>
  readonly fromMs: number
  readonly toMs: number
  attempts: number
  dueMs: number
}

type State = {
  readonly deps: RunExporterDeps
  readonly queue: ExportedRun[]
  readonly stopping: AbortController
  batch: Batch | null
  sending: Promise<void> | null
  /** Time at which the oldest run in the queue was added. */
  oldestMs: number
  /** End of the previous batch. */
  previousMs: number
  sent: number
  dropped: number
  /** Reasons that are in the log already. */
  readonly logged: Set<string>
}

export function createRunExporter(deps: RunExporterDeps): RunExporter {
  const nowMs = () => deps.clock.now().getTime()
  const state: State = {
    deps,
    queue: [],
    stopping: new AbortController(),
    batch: null,
    sending: null,
    oldestMs: 0,
    previousMs: nowMs(),
    sent: 0,
    dropped: 0,
    logged: new Set(),
  }
  let stop = () => {}
  const tick = () => {
    state.sending ??= sendDue(state, nowMs()).finally(() => {
      state.sending = null
    })
  }
  return {
    add(runs) {
      // Runs received as telemetry are not sent back, because their sender has them.
      const own = runs.filter(({ source }) => source !== receivedSource)
      const free = Math.max(0, maxQueued - state.queue.length)
      if (state.queue.length === 0) state.oldestMs = nowMs()
      state.queue.push(...own.slice(0, free))
      if (own.length > free) drop(state, own.length - free, 'The queue of telemetry is full')
    },
    counts: () => ({
      sent: state.sent,
      dropped: state.dropped,
      queued: state.queue.length + (state.batch?.runs.length ?? 0),
    }),
    start() {
      stop = deps.every(tickMs, tick)
    },
    async close() {
      stop()
      const timer = setTimeout(() => state.stopping.abort(), closeLimitMs)
      await state.sending
      while (!state.stopping.signal.aborted && (state.batch !== null || state.queue.length > 0)) {
        await sendBatch(state, state.batch ?? takeBatch(state, nowMs()), nowMs())
        // Another attempt would delay the stop.
        if (state.batch !== null) break
      }
      clearTimeout(timer)
      const { queued } = this.counts()
      if (queued > 0) drop(state, queued, 'The service stopped')
    },
  }
}

/** Sends the batch that is due, and further full ones. */
async function sendDue(state: State, nowMs: number): Promise<void> {
  for (;;) {
    if (state.stopping.signal.aborted) return
    if (state.batch === null) {
      const isDue = state.queue.length >= batchSize || nowMs - state.oldestMs >= maxWaitMs
      if (state.queue.length === 0 || !isDue) return
      state.batch = takeBatch(state, nowMs)
    }
    if (nowMs < state.batch.dueMs) return
    await sendBatch(state, state.batch, nowMs)
  }
}

function takeBatch(state: State, nowMs: number): Batch {
  const runs = state.queue.splice(0, batchSize)
  const batch: Batch = {
    runs,
    remaining: new Set(['traces', 'metrics']),
    fromMs: state.previousMs,
    toMs: nowMs,
    attempts: 0,
    dueMs: 0,
  }
  state.previousMs = nowMs
  state.oldestMs = nowMs
  state.batch = batch
  return batch
}

async function sendBatch(state: State, batch: Batch, nowMs: number): Promise<void> {
  batch.attempts += 1
  const { sending, exporter } = state.deps
  let retryAfterMs: number | null = null
  for (const signal of [...batch.remaining]) {
    const message =
      signal === 'traces' ? traceMessage(batch.runs, exporter) : metricsMessage(batch.runs, exporter, batch)
    const result = await send(sending, signal, message, state.stopping.signal)
    if (result.kind === 'failed' && batch.attempts < maxAttempts) {
      retryAfterMs = Math.max(retryAfterMs ?? 0, result.retryAfterMs ?? 0)
      log(state, signal, result.reason)
    } else {
      batch.remaining.delete(signal)
      countResult(state, signal, batch.runs.length, result)
    }
  }
  if (batch.remaining.size === 0) state.batch = null
  else batch.dueMs = nowMs + Math.max(Math.min(retryAfterMs ?? 0, maxRetryAfterMs), delayOf(batch.attempts))
}

/** Returns the delay before the next attempt: doubled each time, plus a random part of up to 20%, so that services do not retry together. */
const delayOf = (attempts: number): number =>
  Math.min(backOff.maxMs, backOff.firstMs * 2 ** (attempts - 1)) * (1 + Math.random() / 5)

/** Counts runs by their spans, so that a collector that rejects metrics loses no run. */
function countResult(state: State, signal: ExportSignal, count: number, result: Sent): void {
  if (result.kind !== 'accepted') {
    if (signal === 'traces') drop(state, count, result.reason)
    else log(state, signal, result.reason)
    return
  }
  if (signal !== 'traces') return
  const rejected = Math.min(count, Math.max(0, result.rejected))
  state.sent += count - rejected
  if (rejected > 0) drop(state, rejected, 'The collector rejected spans')
}

function drop(state: State, count: number, reason: string): void {
  state.dropped += count
  log(state, 'traces', `${reason}; runs were dropped`)
}

/** Logs each reason once, because a collector that is not reachable would fill the log. */
function log({ deps, logged }: State, signal: ExportSignal, reason: string): void {
  const key = `${signal} ${reason}`
  if (logged.has(key) || logged.size > 100) return
  logged.add(key)
  deps.logger.warn({ signal, endpoint: new URL(deps.sending.endpoint).host }, `telemetry: ${reason}`)
}
