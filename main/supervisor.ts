import { localUrl } from './attach.ts'
import type { Clock } from './clock.ts'
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
const patientLimitMs = 180_000
const watchMs = 5_000
/** Missed health checks in a row after which a service of another process counts as gone. */
const missesToLose = 3

export type Supervisor = {
  state(): ServiceState
  start(): Promise<void>
  /** Starts again after a failure, when the user asks for it. */
  retry(): Promise<void>
  /** Stops a service that was started here. A service of another process continues. */
  stop(): Promise<void>
}

/**
 * Keeps a service available: starts one or connects to the one that owns the data, and restarts it if it
 * fails.
 */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { clock, answers, attachTo, onState, say } = options
  let state: ServiceState = { kind: 'stopped' }
  let service: ServiceProcess | null = null
  let restarts: readonly number[] = []
  let callOff = () => {}
  let stopping = new AbortController()
  let going: Promise<void> = Promise.resolve()

  const become = (next: ServiceState) => {
    state = next
    onState(next)
  }
  const fail = (reason: string) => {
    say(`failed: ${reason}`)
    become({ kind: 'failed', reason })
  }

  /** Restarts after a pause, unless there were too many recent restarts. */
  const recover = (reason: string) => {
    const now = clock.now()
    restarts = restarts.filter((at) => now - at < windowMs)
    const pause = backOffMs[restarts.length]
    if (pause === undefined) {
      fail(`${reason} It was started ${backOffMs.length} times in a short while without lasting.`)
      return
    }
    restarts = [...restarts, now]
    say(`${reason} Starting again in ${pause} ms.`)
    become({ kind: 'restarting', attempt: restarts.length, of: backOffMs.length })
    callOff = clock.after(pause, () => {
      going = run(startLimitMs)
    })
  }

  const watch = (url: string, misses = 0) => {
    callOff = clock.after(watchMs, async () => {
      const { signal } = stopping
      const isThere = await answers(url)
      if (signal.aborted) return
      if (isThere) watch(url)
      else if (misses + 1 < missesToLose) watch(url, misses + 1)
      else recover(`The service at ${url} no longer answers.`)
    })
  }

  const join = async (url: string) => {
    const { signal } = stopping
    const isThere = await answers(url)
    if (signal.aborted) return
    if (!isThere) {
      recover(`The service at ${url} does not answer.`)
      return
    }
    say(`connected to the service at ${url}`)
    become({ kind: 'running', url, isOwn: false })
    watch(url)
  }

  const run = async (limitMs: number) => {
    if (attachTo !== null) return join(attachTo)
    const { signal } = stopping
    try {
      const onLost = (code: number) => {
        service = null
        recover(`The service ended with code ${code}.`)
      }
      service = await options.start({ startLimitMs: limitMs, signal, onLost })
      become({ kind: 'running', url: service.url, isOwn: true })
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      if (!isStartFailure(error) || error.kind === 'refused' || error.kind === 'slow') fail(reason)
      else if (error.runningAt === null) recover(reason)
      else {
        const url = localUrl(error.runningAt)
        if (url === null) fail(reason)
        else await join(url)
      }
    }
  }

  const begin = (limitMs: number) => {
    stopping = new AbortController()
    become({ kind: 'starting' })
    going = run(limitMs)
    return going
  }

  return {
    state: () => state,
    start: () => begin(startLimitMs),
    async retry() {
      if (state.kind !== 'failed') return
      restarts = []
      await begin(patientLimitMs)
    },
    async stop() {
      callOff()
      stopping.abort()
      await going
      await service?.close()
      service = null
      become({ kind: 'stopped' })
    },
  }
}
