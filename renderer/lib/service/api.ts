import { keepPreviousData, QueryClient, type UseQueryResult } from '@tanstack/react-query'
import { ApiError, createClient } from '../../../contract/client.ts'
import type { ProblemCode } from '../../../contract/common/problem.ts'
import { t } from '../i18n.ts'
import { session } from '../session/session.ts'
import { isWithinView } from '../session/viewAs.ts'
import { basePath } from './base-path.ts'
import { idempotentFetch } from './idempotency.ts'

/** Codes of 401 that do not concern the token of the session. */
const notAboutSession: ReadonlySet<ProblemCode> = new Set([
  'auth.invalid_credentials',
  'auth.device_required',
  'auth.second_factor_required',
  'auth.invalid_code',
  'auth.challenge_expired',
  'auth.invalid_passkey',
  'pairing.wrong_code',
])

/** The API client for all requests of the console, typed from the endpoint tables. */
export const client = createClient({
  baseUrl: basePath,
  token: session.token,
  fetch: idempotentFetch,
  before: (endpoint) => {
    if (!isWithinView(endpoint)) throw new ApiError(403, t('common:view_as.refused'), null)
  },
  // A wrong password, code or passkey is also a 401, but the session is still valid.
  onUnauthorized: (problem) => {
    if (problem === null || !notAboutSession.has(problem.code)) session.signOut('expired')
  },
})

/** One page of a list, as every list route returns it. */
export type ListReply<T> = {
  readonly data: T[]
  readonly total: number
  readonly total_capped?: true | undefined
  readonly next_cursor: string | null
}
export type ListQuery<T> = UseQueryResult<ListReply<T>>

/** Invalidates all queries whose keys begin with one of these entities. */
export const invalidateEntities = (queries: QueryClient, ...entities: readonly string[]): Promise<unknown> =>
  Promise.all(entities.map((entity) => queries.invalidateQueries({ queryKey: [entity] })))

export const asApiError = (error: unknown): ApiError | null => (error instanceof ApiError ? error : null)

/** Statuses of conditions that pass: no connection (0), a limit, and a proxy or store that is not available. */
const transientStatuses: ReadonlySet<number> = new Set([0, 429, 502, 503, 504])

/** True for errors that a retry may resolve. A 500 is a fault that repeats, so it is shown at once. */
const isTransient = (error: unknown): boolean => {
  const status = asApiError(error)?.status
  return status !== undefined && transientStatuses.has(status)
}

/**
 * Milliseconds to the next retry: what the service asked for, else 1 s, 2 s, 4 s … up to 16 s. Up to 1 s of
 * jitter keeps tabs from retrying at the same time.
 */
function retryDelay(attempt: number, error: unknown): number {
  const retryAfter = asApiError(error)?.problem?.retry_after
  return (retryAfter === undefined ? Math.min(2 ** attempt, 16) : retryAfter) * 1000 + Math.random() * 1000
}

/** The service may be on this machine: requests do not wait for a network. */
const networkMode = 'always'

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The live connection invalidates what changed, so fetched data stays valid between frames.
        staleTime: 30_000,
        retry: (failures, error) => failures < 3 && isTransient(error),
        retryDelay,
        networkMode,
      },
      mutations: { retry: false, networkMode },
    },
  })
}

/** Option of list queries: keeps the current rows while the next page or filter loads. */
export const keepPreviousRows = { placeholderData: keepPreviousData } as const

/** Returns the errors of a 422 by form field. `body.username` and `username` are the same field. */
export function fieldErrors(error: unknown): Record<string, string> {
  const messages: Record<string, string> = {}
  for (const { path, message } of asApiError(error)?.problem?.errors ?? []) {
    messages[path.replace(/^body\./, '')] ??= message
  }
  return messages
}
