import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { asApiError } from '../../../lib/service/api.ts'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'

type Props<T> = {
  readonly query: UseQueryResult<T>
  /** Content if the service replies 404. */
  readonly notFound: ReactNode
  readonly children: (data: T) => ReactNode
}

/** The page of one item once its data is loaded; until then a placeholder, or the reason why it cannot be shown. */
export function LoadedPage<T>({ query, notFound, children }: Props<T>) {
  if (asApiError(query.error)?.status === 404) return <Page>{notFound}</Page>
  if (query.data !== undefined) return children(query.data)
  if (query.error === null) return <PageLoading />
  return (
    <Page>
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    </Page>
  )
}
