import type { ClientEvents, EventName, Listener } from './types.ts'

export type Events = {
  /** Answers how to stop listening. */
  on<Name extends EventName>(name: Name, listener: Listener<Name>): () => void
  emit<Name extends EventName>(name: Name, data: ClientEvents[Name]): void
  /** From here on, errors alone are told. */
  hush(): void
  stop(): void
}

/** A listener's failure is the app's: it is shown, and harms neither the client nor another listener. */
const show = (error: unknown): void => {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error)
  else console.error(error)
}

export function createEvents(): Events {
  const listeners = new Map<EventName, Set<Listener<EventName>>>()
  let isHushed = false
  return {
    on(name, listener) {
      // A wrapper of its own, so that the same function can listen twice and be stopped once.
      const own = ((data: never) => (listener as (data: never) => unknown)(data)) as Listener<EventName>
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(own))
      return () => void set.delete(own)
    },
    emit(name, data) {
      if (isHushed && name !== 'error') return
      for (const listener of [...(listeners.get(name) ?? [])]) {
        try {
          // An async listener fails later.
          const result: unknown = (listener as (data: unknown) => unknown)(data)
          if (result instanceof Promise) result.catch(show)
        } catch (error) {
          show(error)
        }
      }
    },
    hush() {
      isHushed = true
    },
    stop() {
      isHushed = true
      listeners.clear()
    },
  }
}
