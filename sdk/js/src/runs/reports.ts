import { PromptdeckError } from '../core/errors.ts'
import type { Timings } from '../core/options.ts'
import type { Run } from '../core/types.ts'
import { errorOf, type Http, isAboutTime, type Reply, rejectedStatuses } from '../http/http.ts'
import { createFailures, type Failures } from '../lib/backoff.ts'
import { type Cancel, now, type Timers } from '../lib/timers.ts'
import { bodyOf, type EncodedRun, encodeRun, type RunSettings } from './run.ts'

/** Maximum number of runs per request. */
const maxBatch = 100
/** Maximum number of queued runs; a further one displaces the oldest. */
const maxQueued = 1_000
/** Maximum size of a request that outlives its page, in bytes; browsers limit all of a page to 64 KiB. */
const maxKeepalive = 60_000
/** Minimum interval between two `Dropped` events, in milliseconds. */
const dropEventIntervalMs = 1_000

export type Reports = {
  /** @throws PromptdeckError `Invalid` for a run that the service would reject. */
  add(run: Run): string
  /** Sends queued runs, for at most `limitMs`; returns how many remain. */
  flush(limitMs: number): Promise<number>
  /** Sends queued runs unless a wait is in progress, because the page may end. */
  sendEarly(): void
  /** Ends the backoff, but not the wait that the service asked for. */
  retryNow(): void
  /** Emits an event for dropped runs that no event has reported yet. */
  reportDropped(): void
}

export type ReportsDeps = {
  readonly http: Http
  readonly token: () => string | null
  readonly settings: RunSettings
  readonly timings: Timings
  readonly timers: Timers
  readonly onError: (error: PromptdeckError) => void
}

type State = ReportsDeps & {
  readonly failures: Failures
  readonly queue: EncodedRun[]
  /** Number of runs at the head that form the array being sent; a retry repeats the same array. */
  batch: number
  /** Number of runs at the head that are to be sent one by one. */
  single: number
  isSending: boolean
  cancelTimer: Cancel | null
  /** Earliest time of the next request as the service asked; nothing shortens it. */
  notBefore: number
  /** Number of runs dropped since the last event. */
  dropped: number
  isThrottled: boolean
  /** Callbacks of `flush`, which waits until the queue is empty. */
  readonly idle: Set<() => void>
}

/** Sends reports in the background and in order; each is retried until the service has replied to it. */
export function createReports(deps: ReportsDeps): Reports {
  const state: State = {
    ...deps,
    failures: createFailures(deps.timings),
    queue: [],
    batch: 0,
    single: 0,
    isSending: false,
    cancelTimer: null,
    notBefore: 0,
    dropped: 0,
    isThrottled: false,
    idle: new Set(),
  }
  return {
    add(run) {
      const encoded = encodeRun(run, deps.settings)
      dropOldest(state)
      state.queue.push(encoded)
      schedule(state)
      return encoded.id
    },
    flush: (limitMs) => flush(state, limitMs),
    sendEarly() {
      if (state.failures.until <= now()) void send(state)
    },
    retryNow: () => retryNow(state),
    reportDropped() {
      state.isThrottled = false
      emitDropped(state)
    },
  }
}

function retryNow(state: State): void {
  state.failures.restart(Math.max(state.notBefore, now()))
  schedule(state)
}

/**
 * Schedules the next request. The first attempt keeps the process alive, so that a script sends its last
 * reports. A retry does so only during `flush`.
 */
function schedule(state: State): void {
  const { failures, queue, idle } = state
  if (state.isSending || queue.length === 0) return
  const isUrgent = queue.length >= maxBatch || state.single > 0 || idle.size > 0
  if (failures.until > 0) sendAfter(state, failures.until - now(), idle.size > 0)
  else if (isUrgent) void send(state)
  else if (state.cancelTimer === null) sendAfter(state, state.timings.reportMs, true)
}

function sendAfter(state: State, ms: number, keepsAlive: boolean): void {
  state.cancelTimer?.()
  const onTime = (): void => {
    state.cancelTimer = null
    void send(state)
  }
  state.cancelTimer = state.timers.after(ms, onTime, { keepsAlive })
}

async function send(state: State): Promise<void> {
  const { queue, failures } = state
  if (state.isSending || queue.length === 0) return
  state.cancelTimer?.()
  state.cancelTimer = null
  state.isSending = true
  if (state.batch === 0) state.batch = state.single > 0 ? 1 : Math.min(maxBatch, queue.length)
  const body = `[${queue.slice(0, state.batch).map(bodyOf).join(',')}]`
  const keepalive = new TextEncoder().encode(body).length <= maxKeepalive
  try {
    applyReply(state, await state.http.request('/api/runs', { method: 'POST', body, keepalive }))
  } catch (error) {
    // Aborted by `close`: counts as not sent.
    if (error instanceof PromptdeckError && error.code === 'Closed') return
    failures.failed(now())
  } finally {
    state.isSending = false
  }
  if (queue.length === 0) for (const done of [...state.idle]) done()
  schedule(state)
}

/** Applies the reply to the runs of the request. */
function applyReply(state: State, reply: Reply): void {
  const { status, retryAfterMs, body } = reply
  // Another program may reply 200 to any request.
  const isStored = typeof body === 'object' && body !== null && 'data' in body
  if (status >= 200 && status < 300 && isStored) removeBatch(state)
  else if (!rejectedStatuses.has(status)) {
    state.failures.failed(now(), retryAfterMs)
    state.notBefore = now() + (retryAfterMs ?? 0)
  } else if (isAboutTime(reply) && removeTimes(state)) state.failures.succeeded()
  else if (state.batch > 1) {
    // One run of the array is invalid. Sent alone, each shows if it is the one.
    state.single = state.batch
    state.batch = 0
    state.failures.succeeded()
  } else {
    const { message, requestId } = errorOf(reply, state.token())
    const id = state.queue[0]?.id
    removeBatch(state)
    state.onError(new PromptdeckError('Invalid', `The run ${id} was dropped. ${message}`, { requestId }))
  }
}

/** Removes the times that this client set from the batch. Returns false if there are none. */
function removeTimes({ queue, batch }: State): boolean {
  const timed = queue.slice(0, batch).filter(({ createdAt }) => createdAt !== null)
  for (const run of timed) run.createdAt = null
  return timed.length > 0
}

function removeBatch(state: State): void {
  state.queue.splice(0, state.batch)
  state.single = Math.max(0, state.single - state.batch)
  state.batch = 0
  state.failures.succeeded()
}

/** Makes space for one run. */
function dropOldest(state: State): void {
  while (state.queue.length >= maxQueued) {
    // The batch in transit may already have arrived.
    state.queue.splice(state.isSending ? state.batch : 0, 1)
    if (!state.isSending) {
      state.batch = Math.max(0, state.batch - 1)
      state.single = Math.max(0, state.single - 1)
    }
    state.dropped += 1
  }
  emitDropped(state)
}

function emitDropped(state: State): void {
  const { dropped: count } = state
  if (count === 0 || state.isThrottled) return
  state.dropped = 0
  state.isThrottled = true
  state.timers.after(dropEventIntervalMs, () => {
    state.isThrottled = false
    emitDropped(state)
  })
  const message = `${count} reports were dropped, because ${maxQueued} are queued. Check that the service can be reached.`
  state.onError(new PromptdeckError('Dropped', message, { count }))
}

async function flush(state: State, limitMs: number): Promise<number> {
  if (state.queue.length === 0) return 0
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      state.idle.delete(finish)
      cancel()
      // A retry no longer keeps the process alive.
      schedule(state)
      resolve()
    }
    const cancel = state.timers.after(limitMs, finish, { keepsAlive: true })
    state.idle.add(finish)
    retryNow(state)
  })
  return state.queue.length
}
