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
  /** Starts the service in a process of its own. */
  readonly start: (how: {
    startLimitMs: number
    signal: AbortSignal
    onLost: (code: number) => void
  }) => Promise<ServiceProcess>
  /** Whether a Promptdeck answers there. */
  readonly answers: (url: string) => Promise<boolean>
  /** Never start a service; show the one at this address (`npm start` runs it). */
  readonly attachTo: string | null
  readonly onState: (state: ServiceState) => void
  readonly say: (line: string) => void
}

/** Pauses before each new start, ms. After the last one within `windowMs` a person decides. */
export const backOffMs: readonly number[] = [500, 1000, 2000, 4000, 8000]
const windowMs = 300_000
const startLimitMs = 20_000
/** Whoever presses "Try again" after a slow start wants to wait: a long journal on a slow disk is no fault. */
const patientLimitMs = 180_000
const watchMs = 5_000
/** Another's service that misses this many questions in a row has gone. */
const missesToLose = 3

export type Supervisor = {
  state(): ServiceState
  start(): Promise<void>
  /** A person asks for another go after a failure. */
  retry(): Promise<void>
  /** Ends a service that was started here; another's goes on. */
  stop(): Promise<void>
}

/** Keeps a service at hand: starts it or joins the one that has the data already, and starts it anew when it dies. */
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

  /** Starts anew after a pause, unless that was tried too often of late. */
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
