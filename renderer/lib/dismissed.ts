import { useMemo } from 'react'
import { createRememberedStore, type Store, useStore } from './store.ts'

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean'
const stores = new Map<string, Store<boolean>>()

function storeOf(key: string): Store<boolean> {
  const known = stores.get(key)
  if (known !== undefined) return known
  const made = createRememberedStore(`dismissed.${key}`, false, isBoolean)
  stores.set(key, made)
  return made
}

/** What a person has put away for good in this browser. User ids are unique, so two services do not share an answer. */
export function useDismissed(what: string, userId: string) {
  const key = `${what}.${userId}`
  const store = useMemo(() => storeOf(key), [key])
  return { isDismissed: useStore(store), dismiss: () => store.set(true) }
}
