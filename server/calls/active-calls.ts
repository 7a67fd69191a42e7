import { ModelError } from '../models/model.ts'

/** Tracks calls in progress. A service that stops aborts them and waits until their runs are stored. */
export type ActiveCalls = {
  /** Runs work whose signal aborts with the reason of the caller's signal, or when the service stops. */
  run<T>(caller: AbortSignal, reasonOf: (caller: AbortSignal) => unknown, work: Work<T>): Promise<T>
  /** Ends all calls as `interrupted`. Resolves when their work has ended. */
  close(): Promise<void>
  isClosing(): boolean
}

type Work<T> = (signal: AbortSignal) => Promise<T>

export function createActiveCalls(): ActiveCalls {
  const active = new Map<AbortController, Promise<unknown>>()
  let isClosing = false
  return {
    isClosing: () => isClosing,
    async run(caller, reasonOf, work) {
      const controller = new AbortController()
      const onAbort = () => controller.abort(reasonOf(caller))
      if (caller.aborted) onAbort()
      caller.addEventListener('abort', onAbort)
      const running = work(controller.signal)
      active.set(controller, running)
      try {
        return await running
      } finally {
        active.delete(controller)
        caller.removeEventListener('abort', onAbort)
      }
    },
    async close() {
      isClosing = true
      const reason = new ModelError('interrupted', 'The service stopped during the call')
      for (const controller of active.keys()) controller.abort(reason)
      await Promise.allSettled(active.values())
    },
  }
}
