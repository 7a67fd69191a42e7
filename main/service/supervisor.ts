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
  readonly start: (options: {
    signal: AbortSignal
    onLost: (code: number) => void
  }) => Promise<ServiceProcess>
  /** Returns true if a Promptdeck service replies at the URL. */
  readonly isServiceRunning: (url: string) => Promise<boolean>
  /** Do not start a service; show the one at this address (started by `npm start`). */
  readonly attachTo: string | null
  readonly onState: (state: ServiceState) => void
  readonly writeLog: (line: string) => void
}

/** Milliseconds before each restart. After the last one within `windowMs`, the user must retry. */
export const backOffMs: readonly number[] = [500, 1000, 2000, 4000, 8000]
const windowMs = 300_000
const healthCheckMs = 5_000
/** Consecutive failed health checks after which a service of another process counts as ended. */
const maxMissedChecks = 3

export type Supervisor = {
  state(): ServiceState
  start(): Promise<void>
  /** Starts again after a failure, at the request of the user. */
  retry(): Promise<void>
  /** Stops a service that was started here. A service of another process continues. */
  stop(): Promise<void>
}

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

function setState(supervision: Supervision, next: ServiceState): void {
  supervision.state = next
  supervision.options.onState(next)
}

function fail(supervision: Supervision, reason: string): void {
  supervision.options.writeLog(`failed: ${reason}`)
  setState(supervision, { kind: 'failed', reason })
}

/** Restarts after a pause, unless there were too many recent restarts. */
function recover(supervision: Supervision, reason: string): void {
  const { clock, writeLog } = supervision.options
  const now = clock.now()
  const recentRestarts = supervision.restarts.filter((at) => now - at < windowMs)
  supervision.restarts = recentRestarts
  const pause = backOffMs[recentRestarts.length]
  if (pause === undefined) {
    fail(supervision, `${reason} It was restarted ${backOffMs.length} times and ended each time.`)
    return
  }
  supervision.restarts = [...recentRestarts, now]
  writeLog(`${reason} Starting again in ${pause} ms.`)
  setState(supervision, { kind: 'restarting', attempt: supervision.restarts.length, of: backOffMs.length })
  supervision.cancel = clock.after(pause, () => {
    supervision.pending = run(supervision)
  })
}

function checkHealthLater(supervision: Supervision, url: string, misses = 0): void {
  const { clock, isServiceRunning } = supervision.options
  supervision.cancel = clock.after(healthCheckMs, async () => {
    const { signal } = supervision.stopping
    const isRunning = await isServiceRunning(url)
    if (signal.aborted) return
    if (isRunning) checkHealthLater(supervision, url)
    else if (misses + 1 < maxMissedChecks) checkHealthLater(supervision, url, misses + 1)
    else recover(supervision, `The service at ${url} no longer answers.`)
  })
}

async function attach(supervision: Supervision, url: string): Promise<void> {
  const { signal } = supervision.stopping
  const isRunning = await supervision.options.isServiceRunning(url)
  if (signal.aborted) return
  if (!isRunning) {
    recover(supervision, `The service at ${url} does not answer.`)
    return
  }
  supervision.options.writeLog(`connected to the service at ${url}`)
  setState(supervision, { kind: 'running', url, isOwn: false })
  checkHealthLater(supervision, url)
}

async function run(supervision: Supervision): Promise<void> {
  const { attachTo, start } = supervision.options
  if (attachTo !== null) return attach(supervision, attachTo)
  const { signal } = supervision.stopping
  try {
    const onLost = (code: number) => {
      supervision.service = null
      recover(supervision, `The service ended with code ${code}.`)
    }
    const service = await start({ signal, onLost })
    supervision.service = service
    setState(supervision, { kind: 'running', url: service.url, isOwn: true })
  } catch (error) {
    if (!signal.aborted) await startFailed(supervision, error)
  }
}

/** Attaches to the service that owns the data folder, if it caused the failure; else retries or fails. */
async function startFailed(supervision: Supervision, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error)
  if (!isStartFailure(error) || error.kind === 'refused' || error.kind === 'slow') {
    fail(supervision, reason)
    return
  }
  if (error.runningAt === null) {
    recover(supervision, reason)
    return
  }
  const url = localUrl(error.runningAt)
  if (url === null) fail(supervision, reason)
  else await attach(supervision, url)
}

function startService(supervision: Supervision): Promise<void> {
  supervision.stopping = new AbortController()
  setState(supervision, { kind: 'starting' })
  supervision.pending = run(supervision)
  return supervision.pending
}

/**
 * Keeps a service available: starts one or connects to the one that owns the data, and restarts it if it
 * fails.
 */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const supervision: Supervision = {
    options,
    state: { kind: 'stopped' },
    service: null,
    restarts: [],
    cancel: () => {},
    stopping: new AbortController(),
    pending: Promise.resolve(),
  }
  return {
    state: () => supervision.state,
    start: () => startService(supervision),
    async retry() {
      if (supervision.state.kind !== 'failed') return
      supervision.restarts = []
      await startService(supervision)
    },
    async stop() {
      supervision.cancel()
      supervision.stopping.abort()
      await supervision.pending
      await supervision.service?.close()
      supervision.service = null
      setState(supervision, { kind: 'stopped' })
    },
  }
}
