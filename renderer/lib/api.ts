import { keepPreviousData, QueryClient, type UseQueryResult } from '@tanstack/react-query'
import { ApiError, createClient } from '../../contract/client.ts'
import { patientFetch } from './busy.ts'
import { t } from './i18n.ts'
import { session } from './session.ts'
import { isWithinView } from './viewAs.ts'

/** Every request of the console goes through this client; it is typed from the endpoint tables. */
export const client = createClient({
  baseUrl: '',
  token: session.token,
  fetch: patientFetch,
  before: (endpoint) => {
    if (!isWithinView(endpoint)) throw new ApiError(403, t('common:view_as.refused'), null)
  },
  // A wrong current password is a 401 too, and no reason to sign anybody out.
  onUnauthorized: (problem) => {
    if (problem?.code !== 'auth.invalid_credentials') session.signOut('expired')
  },
})

/** A page of a list as every list route answers. */
export type ListReply<T> = {
  readonly data: T[]
  readonly total: number
  readonly total_capped?: true | undefined
  readonly next_cursor: string | null
}
export type ListQuery<T> = UseQueryResult<ListReply<T>>

export const asApiError = (error: unknown): ApiError | null => (error instanceof ApiError ? error : null)

/** Errors that another attempt may cure. */
const isPassing = (error: unknown): boolean => {
  const status = asApiError(error)?.status
  return status !== undefined && (status === 0 || status === 429 || status >= 500)
}

/** Seconds the service asked for, else 1 s, 2 s, 4 s … with up to a second of jitter, so that tabs do not retry in step. */
function retryDelay(attempt: number, error: unknown): number {
  const asked = asApiError(error)?.problem?.retry_after
  return (asked === undefined ? Math.min(2 ** attempt, 16) : asked) * 1000 + Math.random() * 1000
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        // The live connection says what changed; until it does, what was fetched stands.
        staleTime: 30_000,
        retry: (failures, error) => failures < 3 && isPassing(error),
        retryDelay,
      },
      mutations: { retry: false },
    },
  })
}

/** For list queries: the rows stay while the next page or filter loads. */
export const keepRows = { placeholderData: keepPreviousData } as const

/** Field errors of a 422 by form field: `body.username` and `username` are the same field. */
export function fieldErrors(error: unknown): Record<string, string> {
  const found: Record<string, string> = {}
  for (const { path, message } of asApiError(error)?.problem?.errors ?? []) {
    found[path.replace(/^body\./, '')] ??= message
  }
  return found
}
