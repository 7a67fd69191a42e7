import type { Clock } from '../lib/clock.ts'
import { localUrl } from './attach.ts'
import { isStartFailure, type ServiceProcess } from './service-process.ts'

export type ServiceState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly url: string; readonly isOwn: boolean }
  | { readonly kind: 'restarting'; readonly attempt: number; readonly of: number }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' }

export type SupervisorOptions = {
  readonly clock: Clock
  /** Starts the service in its own process. */
  readonly start: (how: {
    startLimitMs: number
    signal: AbortSignal
    onLost: (code: number) => void
  }) => Promise<ServiceProcess>
  /** Returns true if a Promptdeck service replies at the URL. */
  readonly answers: (url: string) => Promise<boolean>
  /** Do not start a service; show the one at this address (started by `npm start`). */
  readonly attachTo: string | null
  readonly onState: (state: ServiceState) => void
  readonly say: (line: string) => void
}

/** Milliseconds before each restart. After the last one within `windowMs`, the user must retry. */
export const backOffMs: readonly number[] = [500, 1000, 2000, 4000, 8000]
const windowMs = 300_000
const startLimitMs = 20_000
/** Limit after "Try again": a long journal on a slow disk takes time. */
const retryLimitMs = 180_000
const watchMs = 5_000
/** Missed health checks in a row after which a service of another process counts as gone. */
const maxMissedChecks = 3

export type Supervisor = {
  state(): ServiceState
  start(): Promise<void>
  /** Starts again after a failure, when the user asks for it. */
  retry(): Promise<void>
  /** Stops a service that was started here. A service of another process continues. */
  stop(): Promise<void>
}

/** The state of one supervisor. */
type Supervision = {
  readonly options: SupervisorOptions
  state: ServiceState
  service: ServiceProcess | null
  /** Times of the recent restarts, in epoch milliseconds. */
  restarts: readonly number[]
  /** Cancels the next restart or health check. */
  cancel: () => void
  stopping: AbortController
  pending: Promise<void>
}

function become(it: Supervision, next: ServiceState): void {
  it.state = next
  it.options.onState(next)
}

function fail(it: Supervision, reason: string): void {
  it.options.say(`failed: ${reason}`)
  become(it, { kind: 'failed', reason })
}

/** Restarts after a pause, unless there were too many recent restarts. */
function recover(it: Supervision, reason: string): void {
  const { clock, say } = it.options
  const now = clock.now()
  const recent = it.restarts.filter((at) => now - at < windowMs)
  it.restarts = recent
  const pause = backOffMs[recent.length]
  if (pause === undefined) {
    fail(it, `${reason} It was restarted ${backOffMs.length} times and ended each time.`)
    return
  }
  it.restarts = [...recent, now]
  say(`${reason} Starting again in ${pause} ms.`)
  become(it, { kind: 'restarting', attempt: it.restarts.length, of: backOffMs.length })
  it.cancel = clock.after(pause, () => {
    it.pending = run(it, startLimitMs)
  })
}

function watch(it: Supervision, url: string, misses = 0): void {
  const { clock, answers } = it.options
  it.cancel = clock.after(watchMs, async () => {
    const { signal } = it.stopping
    const isThere = await answers(url)
    if (signal.aborted) return
    if (isThere) watch(it, url)
    else if (misses + 1 < maxMissedChecks) watch(it, url, misses + 1)
    else recover(it, `The service at ${url} no longer answers.`)
  })
}

async function join(it: Supervision, url: string): Promise<void> {
  const { signal } = it.stopping
  const isThere = await it.options.answers(url)
  if (signal.aborted) return
  if (!isThere) {
    recover(it, `The service at ${url} does not answer.`)
    return
  }
  it.options.say(`connected to the service at ${url}`)
  become(it, { kind: 'running', url, isOwn: false })
  watch(it, url)
}

async function run(it: Supervision, limitMs: number): Promise<void> {
  const { attachTo, start } = it.options
  if (attachTo !== null) return join(it, attachTo)
  const { signal } = it.stopping
  try {
    const onLost = (code: number) => {
      it.service = null
      recover(it, `The service ended with code ${code}.`)
    }
    const service = await start({ startLimitMs: limitMs, signal, onLost })
    it.service = service
    become(it, { kind: 'running', url: service.url, isOwn: true })
  } catch (error) {
    if (!signal.aborted) await startFailed(it, error)
  }
}

/** Joins the service that owns the data, if that is why the start failed; else retries or gives up. */
async function startFailed(it: Supervision, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error)
  if (!isStartFailure(error) || error.kind === 'refused' || error.kind === 'slow') {
    fail(it, reason)
    return
  }
  if (error.runningAt === null) {
    recover(it, reason)
    return
  }
  const url = localUrl(error.runningAt)
  if (url === null) fail(it, reason)
  else await join(it, url)
}

function begin(it: Supervision, limitMs: number): Promise<void> {
  it.stopping = new AbortController()
  become(it, { kind: 'starting' })
  it.pending = run(it, limitMs)
  return it.pending
}

/**
 * Keeps a service available: starts one or connects to the one that owns the data, and restarts it if it
 * fails.
 */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const it: Supervision = {
    options,
    state: { kind: 'stopped' },
    service: null,
    restarts: [],
    cancel: () => {},
    stopping: new AbortController(),
    pending: Promise.resolve(),
  }
  return {
    state: () => it.state,
    start: () => begin(it, startLimitMs),
    async retry() {
      if (it.state.kind !== 'failed') return
      it.restarts = []
      await begin(it, retryLimitMs)
    },
    async stop() {
      it.cancel()
      it.stopping.abort()
      await it.pending
      await it.service?.close()
      it.service = null
      become(it, { kind: 'stopped' })
    },
  }
}
