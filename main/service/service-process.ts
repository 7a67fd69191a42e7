import { type Clock, systemClock } from '../lib/clock.ts'
import {
  type HostCommand,
  isKeysMessage,
  isServiceMessage,
  type KeyStoreContent,
} from './service-messages.ts'

/** The parts of Electron's `UtilityProcess` that are used here. */
export type Child = {
  postMessage(message: HostCommand): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'exit', listener: (code: number) => void): unknown
  kill(): boolean
}

export type ServiceProcess = {
  readonly url: string
  /** Resolves when the process has exited. A service that does not exit in time is killed. */
  close(): Promise<void>
}

export type ServiceProcessOptions = {
  readonly fork: () => Child
  /** The content of the system's key store, and a function that stores new content. */
  readonly keys: KeyStoreContent & { readonly store: (text: string | null) => Promise<void> }
  /** Called when the service exits unexpectedly. */
  readonly onLost: (code: number) => void
  /** Aborting ends a service that is still starting. */
  readonly signal?: AbortSignal
  readonly clock?: Clock
  readonly closeLimitMs?: number
}

/** Milliseconds until a service must listen: the first start after an update may convert a large run log. */
export const startLimitMs = 600_000

/**
 * The error of a failed start. `refused`: the service gave a reason, and a retry would fail too. `locked`:
 * another process owns the data folder, at `runningAt` if known. `slow`: no message in time. `ended`: the
 * process exited, or was stopped.
 */
export type StartFailure = Error & {
  readonly kind: 'refused' | 'locked' | 'slow' | 'ended'
  readonly runningAt: string | null
}

const failure = (kind: StartFailure['kind'], reason: string, runningAt: string | null = null): StartFailure =>
  Object.assign(new Error(reason), { kind, runningAt })

export const isStartFailure = (error: unknown): error is StartFailure =>
  error instanceof Error && 'kind' in error && 'runningAt' in error

/** Sends the service the content of the system's key store, and stores the content that it sends. */
function handleKeyRequests(child: Child, keys: ServiceProcessOptions['keys']): void {
  child.on('message', (message) => {
    if (!isKeysMessage(message)) return
    if (message.kind === 'get-keys') {
      child.postMessage({ kind: 'keys', stored: keys.stored, use: keys.use })
      return
    }
    const { id, text } = message
    const reply = (failure: string | null) => child.postMessage({ kind: 'stored-keys', id, failure })
    keys.store(text).then(
      () => reply(null),
      (error: unknown) => reply(error instanceof Error ? error.message : String(error)),
    )
  })
}

/** Starts the service process and waits until it listens. */
export function startServiceProcess(options: ServiceProcessOptions): Promise<ServiceProcess> {
  const { fork, keys, onLost, signal, clock = systemClock, closeLimitMs = 10_000 } = options
  const child = fork()
  handleKeyRequests(child, keys)
  let state: 'starting' | 'up' | 'closing' | 'exited' = 'starting'
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()))

  const close = async () => {
    if (state === 'exited') return
    if (state !== 'closing') child.postMessage({ kind: 'close' })
    state = 'closing'
    const cancel = clock.after(closeLimitMs, () => child.kill())
    await exited
    cancel()
  }

  return new Promise((resolve, reject) => {
    const cancel = clock.after(startLimitMs, () => {
      state = 'closing'
      child.kill()
      // Reject only after the exit: until then the process owns the data folder, and a new start would
      // fail.
      const reason = `The service was not ready within ${startLimitMs / 60_000} minutes.`
      void exited.then(() => reject(failure('slow', reason)))
    })
    signal?.addEventListener('abort', () => {
      cancel()
      if (state === 'starting') void close()
    })
    child.on('message', (message) => {
      if (state !== 'starting' || !isServiceMessage(message)) return
      cancel()
      if (message.kind === 'ready') {
        state = 'up'
        resolve({ url: message.url, close })
      } else {
        state = 'closing'
        const kind = message.isLocked ? 'locked' : 'refused'
        void exited.then(() => reject(failure(kind, message.reason, message.runningAt)))
      }
    })
    child.on('exit', (code) => {
      cancel()
      const previous = state
      state = 'exited'
      if (previous === 'up') onLost(code)
      if (previous === 'starting')
        reject(failure('ended', `The service ended with code ${code} before it was ready.`))
      // Aborted during the start. A failure that the service reported takes precedence.
      else if (signal?.aborted === true)
        void exited.then(() => reject(failure('ended', 'The service was stopped.')))
    })
  })
}
