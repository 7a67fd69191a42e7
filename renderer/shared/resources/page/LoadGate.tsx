import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { asApiError } from '../../../lib/service/api.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'

type Props<T> = {
  readonly query: UseQueryResult<T>
  /** Message if the service does not know the id. */
  readonly gone: ReactNode
  readonly children: (data: T) => ReactNode
}

/** Shows the page once the data is loaded; else why it cannot be shown, and the next step. */
export function LoadGate<T>({ query, gone, children }: Props<T>) {
  if (asApiError(query.error)?.status === 404) return <Page>{gone}</Page>
  if (query.data !== undefined) return children(query.data)
  if (query.error === null) return <PageLoading />
  return (
    <Page>
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    </Page>
  )
}
