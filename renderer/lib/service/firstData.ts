import type { QueryClient } from '@tanstack/react-query'
import { createStore, type Store } from '../state/store.ts'

/** Time without a running query after which the page has its data, in ms: some queries begin when others end. */
const quietMs = 150
/** Time after which the wait ends in any case, in ms. */
const limitMs = 3_000

/**
 * True once the first page has its data. What the user does not wait for (alerts, notices, the state of the store)
 * is requested then: a browser sends only six requests at a time.
 */
export const hasFirstData: Store<boolean> = createStore(false)

/**
 * Sets `hasFirstData` once no query is running. Called when the first page is rendered and its queries have begun.
 * Returns a function that ends the watch.
 */
export function watchFirstData(queries: QueryClient): () => void {
  let quiet: ReturnType<typeof setTimeout> | undefined
  const end = (): void => hasFirstData.set(true)
  const check = (): void => {
    clearTimeout(quiet)
    if (queries.isFetching() === 0) quiet = setTimeout(end, quietMs)
  }
  const limit = setTimeout(end, limitMs)
  const unsubscribe = queries.getQueryCache().subscribe(check)
  check()
  return () => {
    clearTimeout(quiet)
    clearTimeout(limit)
    unsubscribe()
  }
}
