import type { ClientEvents, EventName, Listener } from './types.ts'

export type Events = {
  /** Adds a listener; returns a function that removes it. */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void
  emit<Name extends EventName>(name: Name, data: ClientEvents[Name]): void
  /** From here on, only `error` events are emitted. */
  mute(): void
  stop(): void
}

/** Reports the failure of a listener, which must affect neither the client nor other listeners. */
const reportFailure = (error: unknown): void => {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error)
  else console.error(error)
}

export function createEvents(): Events {
  const listeners = new Map<EventName, Set<Listener<EventName>>>()
  let isMuted = false
  return {
    on(name, listener) {
      // A separate wrapper per call, so that a function added twice can be removed once.
      const wrapper = ((data: never) => (listener as (data: never) => unknown)(data)) as Listener<EventName>
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(wrapper))
      return () => void set.delete(wrapper)
    },
    emit(name, data) {
      if (isMuted && name !== 'error') return
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          // An async listener fails later.
          const result: unknown = (listener as (data: unknown) => unknown)(data)
          if (result instanceof Promise) result.catch(reportFailure)
        } catch (error) {
          reportFailure(error)
        }
      }
    },
    mute() {
      isMuted = true
    },
    stop() {
      isMuted = true
      listeners.clear()
    },
  }
}
