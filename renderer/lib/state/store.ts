import { useSyncExternalStore } from 'react'

/** A value outside React that components can subscribe to, such as the live connection or a stored choice. */
export type Store<T> = {
  readonly get: () => T
  readonly set: (next: T) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** Creates a store. Setting an identical value notifies no listener. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}

/**
 * Creates a store for a display choice, saved in this browser. If storage is blocked, it lasts as long as the
 * tab.
 */
export function createPersistedStore<T>(
  key: string,
  initial: T,
  isValid: (value: unknown) => value is T,
): Store<T> {
  const name = `promptdeck.${key}`
  const read = (): T => {
    try {
      const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null')
      return isValid(value) ? value : initial
    } catch {
      return initial
    }
  }
  const store = createStore(read())
  return {
    ...store,
    set: (next) => {
      try {
        localStorage.setItem(name, JSON.stringify(next))
      } catch {
        // Blocked or full: the choice still applies in this tab.
      }
      store.set(next)
    },
  }
}
