import { type HostCommand, isServiceMessage } from './service-messages.ts'

/** The parts of Electron's UtilityProcess that are used here. */
export type Child = {
  postMessage(message: HostCommand): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  kill(): boolean
}

export type ServiceProcess = {
  readonly url: string
  /** Settles when the process has gone; a service that does not end in time is killed. */
  close(): Promise<void>
}

export type ServiceProcessOptions = {
  readonly fork: () => Child
  /** Called when the service ends without having been asked to. */
  readonly onLost: (code: number) => void
  readonly startLimitMs?: number
  readonly closeLimitMs?: number
}

/** The service did not start. `runningAt` is the address of one that already serves the same data. */
export type StartFailure = Error & { readonly runningAt: string | null }

const failure = (reason: string, runningAt: string | null = null): StartFailure =>
  Object.assign(new Error(reason), { runningAt })

export const isStartFailure = (error: unknown): error is StartFailure =>
  error instanceof Error && 'runningAt' in error

/** Starts the service's process and waits until it listens. A start may replay a long journal, hence the generous limit. */
export function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { fork, onLost, startLimitMs = 120_000, closeLimitMs = 10_000 } = options
  const child = fork()
  let state: 'starting' | 'up' | 'closing' | 'gone' = 'starting'
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()))

  const close = async () => {
    if (state === 'gone') return
    state = 'closing'
    child.postMessage({ kind: 'close' })
    const limit = setTimeout(() => child.kill(), closeLimitMs)
    await exited
    clearTimeout(limit)
  }

  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      child.kill()
      reject(failure(`The service did not start within ${startLimitMs / 1000} s.`))
    }, startLimitMs)
    child.on('message', (message) => {
      if (state !== 'starting' || !isServiceMessage(message)) return
      clearTimeout(limit)
      if (message.kind === 'ready') {
        state = 'up'
        resolve({ url: message.url, close })
      } else reject(failure(message.reason, message.runningAt))
    })
    child.on('exit', (code) => {
      clearTimeout(limit)
      const wasUp = state === 'up'
      state = 'gone'
      if (wasUp) onLost(code)
      reject(failure(`The service ended with code ${code} before it was ready.`))
    })
  })
}
