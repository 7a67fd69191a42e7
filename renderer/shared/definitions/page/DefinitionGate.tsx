import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../../../lib/i18n.ts'
import { asApiError } from '../../../lib/service/api.ts'
import { LinkButton } from '../../../ui/display/LinkButton.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { type Kind, listOf } from '../definition.ts'

type Props<T> = {
  readonly kind: Kind
  readonly query: UseQueryResult<T>
  readonly children: (data: T) => ReactNode
}

/** Shows the page once the data is loaded; else why it cannot be shown, and the next step. */
export function DefinitionGate<T>({ kind, query, children }: Props<T>) {
  if (asApiError(query.error)?.status === 404) {
    return (
      <Page>
        <EmptyState
          title={t(`definition:${kind}.gone`)}
          text={t(`definition:${kind}.gone_text`)}
          action={
            <LinkButton variant="default" to={listOf[kind]}>
              {t(`definition:${kind}.many`)}
            </LinkButton>
          }
        />
      </Page>
    )
  }
  if (query.data !== undefined) return children(query.data)
  if (query.error === null) return <PageLoading />
  return (
    <Page>
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    </Page>
  )
}
