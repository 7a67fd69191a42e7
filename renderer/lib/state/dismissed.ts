import { useMemo } from 'react'
import { createPersistedStore, type Store, useStore } from './store.ts'

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const stores = new Map<string, Store<boolean>>()

function storeOf(key: string): Store<boolean> {
  const known = stores.get(key)
  if (known !== undefined) return known
  const made = createPersistedStore(`dismissed.${key}`, false, isBoolean)
  stores.set(key, made)
  return made
}

/**
 * Returns whether the user has dismissed something in this browser, and a function that does so permanently.
 * User ids are unique, so two services never share a value.
 */
export function useDismissed(what: string, userId: string) {
  const key = `${what}.${userId}`
  const store = useMemo(() => storeOf(key), [key])
  return { isDismissed: useStore(store), dismiss: () => store.set(true) }
}
