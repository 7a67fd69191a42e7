import { useMemo } from 'react'
import { createPersistedStore, type Store, useStore } from './store.ts'

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const stores = new Map<string, Store<boolean>>()

function storeOf(key: string): Store<boolean> {
  const cached = stores.get(key)
  if (cached !== undefined) return cached
  const created = createPersistedStore(`dismissed.${key}`, false, isBoolean)
  stores.set(key, created)
  return created
}

/**
 * Returns whether the user has dismissed a notice in this browser, and a function that dismisses it
 * permanently. User ids are unique, so two services never share a value.
 */
export function useDismissed(notice: string, userId: string) {
  const key = `${notice}.${userId}`
  const store = useMemo(() => storeOf(key), [key])
  return { isDismissed: useStore(store), dismiss: () => store.set(true) }
}
