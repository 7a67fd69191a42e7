import '../prompt.texts.ts'
import '../prompts.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { t } from '../../../lib/i18n.ts'
import { asApiError } from '../../../lib/service/api.ts'
import { LinkButton } from '../../../ui/display/LinkButton.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../../ui/feedback/PageLoading.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { promptQuery } from '../prompts.queries.ts'
import { PromptView } from './PromptView.tsx'

const route = getRouteApi('/signed-in/shell/prompts/$id')

/** The page of one prompt, loaded by the id in the URL. */
export function PromptPage() {
  const { id } = route.useParams()
  const query = useQuery(promptQuery(id))
  const isNotFound = asApiError(query.error)?.status === 404
  if (isNotFound || (query.data !== undefined && query.data.deleted_at !== null)) {
    return (
      <Page>
        <EmptyState
          title={t('prompt:gone.title')}
          text={t('prompt:gone.text')}
          action={
            <>
              <LinkButton variant="default" to="/prompts" search={{ view: 'trash' }}>
                {t('prompt:gone.trash')}
              </LinkButton>
              <LinkButton variant="default" to="/prompts">
                {t('prompt:gone.list')}
              </LinkButton>
            </>
          }
        />
      </Page>
    )
  }
  if (query.data === undefined) {
    return query.error === null ? (
      <PageLoading />
    ) : (
      <Page>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Page>
    )
  }
  // The key resets the state, so that unsaved text of one prompt never appears in another.
  return <PromptView key={id} prompt={query.data} />
}
