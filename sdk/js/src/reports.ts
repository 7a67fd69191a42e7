import { createFailures } from './backoff.ts'
import { invalid, messageOf, PromptdeckError } from './errors.ts'
import { errorOf, type Http, type Reply } from './http.ts'
import type { Timings } from './options.ts'
import { type Cancel, now, type Timers } from './timers.ts'
import type { Run } from './types.ts'
import { uuid } from './uuid.ts'

/** Maximum number of runs per request. */
const mostAtOnce = 100
/** Maximum number of queued runs; a further one displaces the oldest. */
const mostWaiting = 1_000
/** Minimum interval between two `Dropped` events, in milliseconds. */
const tellEveryMs = 1_000
/** Client errors that a retry may resolve: those of the token, and temporary ones. */
const passing: ReadonlySet<number> = new Set([401, 403, 408, 425, 429])

export type Reports = {
  /** @throws PromptdeckError `Invalid` for a run that the service would reject. */
  add(run: Run): string
  /** Sends queued runs, for at most `forMs`; returns how many remain. */
  flush(forMs: number): Promise<number>
  /** The token was replaced. */
  tokenChanged(): void
}

export type ReportsDeps = {
  readonly http: Http
  readonly token: () => string | null
  readonly workspace: string
  readonly timings: Timings
  readonly timers: Timers
  readonly onError: (error: PromptdeckError) => void
}

type Waiting = { readonly id: string; readonly json: string }

/**
 * Sends reports in the background and in order; each is retried until the service has accepted or rejected
 * it.
 */
export function createReports(deps: ReportsDeps): Reports {
  const { http, token, workspace, timings, timers, onError } = deps
  const failures = createFailures(timings)
  const queue: Waiting[] = []
  /** Number of runs at the head that form the array being sent; a retry repeats the same array. */
  let batch = 0
  /** Number of runs at the head that are to be sent one by one. */
  let singly = 0
  let isSending = false
  let cancelTimer: Cancel | null = null
  /** Earliest time of the next request as the service asked; nothing shortens it. */
  let notBefore = 0
  let lost = 0
  let isTelling = false
  const idle = new Set<() => void>()

  const arm = (ms: number, keepsAlive: boolean): void => {
    cancelTimer?.()
    cancelTimer = timers.after(
      ms,
      () => {
        cancelTimer = null
        void send()
      },
      { keepsAlive },
    )
  }

  /**
   * Schedules the next request. The first attempt keeps the process alive, so that a script sends its last
   * reports. A retry does so only during `flush`.
   */
  const plan = (): void => {
    if (isSending || queue.length === 0) return
    const wait = failures.until - now()
    const isPressing = queue.length >= mostAtOnce || singly > 0 || idle.size > 0
    if (failures.until > 0) arm(wait, idle.size > 0)
    else if (isPressing) void send()
    else if (cancelTimer === null) arm(timings.reportMs, true)
  }

  async function send(): Promise<void> {
    if (isSending || queue.length === 0) return
    cancelTimer?.()
    cancelTimer = null
    isSending = true
    if (batch === 0) batch = singly > 0 ? 1 : Math.min(mostAtOnce, queue.length)
    const body = `[${queue
      .slice(0, batch)
      .map(({ json }) => json)
      .join(',')}]`
    try {
      taken(await http.request('/api/runs', { method: 'POST', body }))
    } catch (error) {
      // Aborted by `close`: counts as not sent.
      if (error instanceof PromptdeckError && error.code === 'Closed') return
      failures.failed(now())
    } finally {
      isSending = false
    }
    if (queue.length === 0) for (const done of [...idle]) done()
    plan()
  }

  /** Applies the reply to the runs of the request. */
  function taken(reply: Reply): void {
    const { status } = reply
    if (status >= 200 && status < 300) done()
    else if (status < 400 || status >= 500 || passing.has(status)) {
      failures.failed(now(), reply.retryAfterMs)
      notBefore = now() + (reply.retryAfterMs ?? 0)
    } else if (batch > 1) {
      // One run of the array is invalid. Sent alone, each shows if it is the one.
      singly = batch
      batch = 0
      failures.succeeded()
    } else {
      const { message, requestId } = errorOf(reply, token())
      const id = queue[0]?.id
      done()
      onError(new PromptdeckError('Invalid', `The run ${id} was dropped. ${message}`, { requestId }))
    }
  }

  function done(): void {
    queue.splice(0, batch)
    singly = Math.max(0, singly - batch)
    batch = 0
    failures.succeeded()
  }

  const makeRoom = (): void => {
    while (queue.length >= mostWaiting) {
      // The batch in transit may already have arrived.
      queue.splice(isSending ? batch : 0, 1)
      if (!isSending) {
        batch = Math.max(0, batch - 1)
        singly = Math.max(0, singly - 1)
      }
      lost += 1
    }
    tellLost()
  }
  const tellLost = (): void => {
    if (lost === 0 || isTelling) return
    const count = lost
    lost = 0
    isTelling = true
    timers.after(tellEveryMs, () => {
      isTelling = false
      tellLost()
    })
    const message = `${count} reports were dropped, because ${mostWaiting} wait. See that the service can be reached.`
    onError(new PromptdeckError('Dropped', message, { count }))
  }

  return {
    add(run) {
      const id = checkRun(run).client_run_id || uuid()
      const json = toJson({
        workspace_id: workspace,
        created_at: new Date().toISOString(),
        ...withoutNulls(run),
        client_run_id: id,
      })
      makeRoom()
      queue.push({ id, json })
      plan()
      return id
    },
    async flush(forMs) {
      if (queue.length === 0) return 0
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          idle.delete(finish)
          cancel()
          resolve()
        }
        const cancel = timers.after(forMs, finish, { keepsAlive: true })
        idle.add(finish)
        // One attempt now, regardless of the backoff, but not before the time that the service named.
        if (notBefore > now()) plan()
        else void send()
      })
      return queue.length
    },
    tokenChanged() {
      if (notBefore <= now()) failures.shorten()
      plan()
    },
  }
}

/** A null member counts as absent. */
const withoutNulls = (run: Run): Partial<Run> =>
  Object.fromEntries(Object.entries(run).filter(([, value]) => value !== null && value !== undefined))

function toJson(run: object): string {
  try {
    return JSON.stringify(run)
  } catch (error) {
    throw invalid(`The run cannot be written as JSON: ${messageOf(error)}`)
  }
}

/**
 * Checks required members; the service rejects wrong values.
 * @throws PromptdeckError `Invalid` with all missing members.
 */
function checkRun(run: Run): Run {
  const given: Readonly<Record<string, unknown>> = typeof run === 'object' && run !== null ? run : {}
  const missing = (['provider', 'model', 'latency_ms', 'status'] as const).filter(
    (name) => given[name] === undefined || given[name] === null || given[name] === '',
  )
  if (missing.length > 0) throw invalid(`A run needs ${missing.join(', ')}.`)
  const id = given['client_run_id'] ?? ''
  if (typeof id !== 'string' || id.length > 128)
    throw invalid('client_run_id has to be a text of 1 to 128 characters.')
  return run
}
