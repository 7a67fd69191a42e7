import '../../shared/views/views.texts.ts'
import { IconBookmark } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { t } from '../../lib/i18n.ts'
import { searchOf } from '../../shared/views/views.queries.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../ui/feedback/PageLoading.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { addressOfPage, allViewsQuery } from './views.queries.ts'

/** Opens the list of a saved view with its filters, from the palette or an audit entry. */
export function OpenView() {
  const { id } = useParams({ from: '/signed-in/shell/views/$id' })
  const query = useQuery(allViewsQuery)
  const view = query.data?.find((candidate) => candidate.id === id)
  if (query.isPending) return <PageLoading />
  const to = view && addressOfPage(view.page)
  if (view !== undefined && to !== undefined)
    return <Navigate to={to} params={{ id: undefined }} search={searchOf(view)} replace />
  return (
    <Page>
      <PageHeader title={t('views:title')} />
      {query.error === null ? (
        <EmptyState
          icon={<IconBookmark size={28} stroke={1.5} />}
          title={t('views:open_failed')}
          action={<LinkButton to="/views">{t('views:show_all')}</LinkButton>}
        />
      ) : (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      )}
    </Page>
  )
}
