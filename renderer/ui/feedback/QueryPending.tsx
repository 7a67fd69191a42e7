import { Skeleton } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { ErrorState } from './ErrorState.tsx'

type Props = {
  readonly query: Pick<UseQueryResult, 'error' | 'refetch'>
  /** Height of the placeholder, in pixels. */
  readonly height: number
}

/** The state of a query without data: a placeholder while it loads, or its error. */
export const QueryPending = ({ query, height }: Props) =>
  query.error === null ? (
    <Skeleton height={height} />
  ) : (
    <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  )
