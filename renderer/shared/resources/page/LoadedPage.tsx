import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useReducer } from 'react'
import { t } from '../../../lib/i18n.ts'
import { asApiError } from '../../../lib/service/api.ts'
import { ItemWorkspace } from '../../../lib/session/workspaceRole.ts'
import { UnsavedContext } from '../../../ui/dialog/useLeaveGuard.ts'
import { Banner } from '../../../ui/feedback/Banner.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'

type Props<T> = {
  readonly query: UseQueryResult<T>
  /** Content if the service replies 404, or with a deleted item. */
  readonly notFound: ReactNode
  readonly isDeleted?: (data: T) => boolean
  readonly children: (data: T) => ReactNode
}

/**
 * The page of one item once its data is loaded; until then a placeholder, or the reason why it cannot be shown. It
 * stays while it has unsaved changes.
 */
export function LoadedPage<T extends { readonly workspace_id: string }>({
  query,
  notFound,
  isDeleted,
  children,
}: Props<T>) {
  const [unsaved, countUnsaved] = useReducer((count: number, change: 1 | -1) => count + change, 0)
  const { data } = query
  const isGone = asApiError(query.error)?.status === 404 || (data !== undefined && isDeleted?.(data) === true)
  if (isGone && !(unsaved > 0 && data !== undefined)) return <Page>{notFound}</Page>
  if (data !== undefined)
    return (
      <UnsavedContext value={countUnsaved}>
        {isGone && <Banner tone="warn">{t('common:form.deleted')}</Banner>}
        <ItemWorkspace value={data.workspace_id}>{children(data)}</ItemWorkspace>
      </UnsavedContext>
    )
  if (query.error === null) return <PageLoading />
  return (
    <Page>
      <ErrorState error={query.error} onRetry={() => void query.refetch()} />
    </Page>
  )
}
