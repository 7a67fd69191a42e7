import { queryOptions } from '@tanstack/react-query'
import { Health } from '../../contract/health.ts'
import { createStore } from './store.ts'

/** Counts the requests that were refused because the store is full (507): the health has changed. */
export const storeRefusals = createStore(0)

/** `GET /health` is outside /api and its tables. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }) => Health.parse(await (await fetch('/health', { signal })).json()),
  retry: false,
})
