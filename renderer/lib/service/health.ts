import { queryOptions } from '@tanstack/react-query'
import { Health } from '../../../contract/system/health.ts'
import { createStore } from '../state/store.ts'
import { basePath } from './base-path.ts'

/** Number of requests rejected because the store is full (507). Each one may mean that the health has changed. */
export const storeRefusals = createStore(0)

/** Fetches the service's health. `GET /health` is a system route, so the endpoint tables do not have it. */
export const healthQuery = queryOptions({
  queryKey: ['health'],
  queryFn: async ({ signal }) => Health.parse(await (await fetch(`${basePath}/health`, { signal })).json()),
  retry: false,
})
