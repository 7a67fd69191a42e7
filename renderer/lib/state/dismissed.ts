import { useMemo } from 'react'
import { createPersistedStore, type Store, useStore } from './store.ts'

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const stores = new Map<string, Store<boolean>>()

function storeOf(key: string): Store<boolean> {
  const cached = stores.get(key)
  if (cached !== undefined) return cached
  const created = createPersistedStore(key, false, isBoolean)
  stores.set(key, created)
  return created
}

/**
 * Returns a flag of the user in this browser, false at first, and a function that sets it. User ids are unique,
 * so two services never share a value.
 */
export function useFlag(name: string, userId: string) {
  const key = `${name}.${userId}`
  const store = useMemo(() => storeOf(key), [key])
  return [useStore(store), store.set] as const
}

/**
 * Returns whether the user has dismissed a notice in this browser, and a function that dismisses it
 * permanently.
 */
export function useDismissed(notice: string, userId: string) {
  const [isDismissed, set] = useFlag(`dismissed.${notice}`, userId)
  return { isDismissed, dismiss: () => set(true) }
}
