import '../prompt.texts.ts'
import '../prompts.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { t } from '../../../lib/i18n.ts'
import { promptQuery } from '../../../shared/prompts/prompt.queries.ts'
import { LoadedPage } from '../../../shared/resources/page/LoadedPage.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { PromptView } from './PromptView.tsx'

const route = getRouteApi('/signed-in/shell/prompts/$id')

/** The page of one prompt, loaded by the id in the URL. */
export function PromptPage() {
  const { id } = route.useParams()
  const query = useQuery(promptQuery(id))
  return (
    <LoadedPage
      query={query}
      notFound={<PromptNotFound />}
      isDeleted={(prompt) => prompt.deleted_at !== null}
    >
      {/* The key resets the state, so that unsaved text of one prompt never appears in another. */}
      {(prompt) => <PromptView key={id} prompt={prompt} />}
    </LoadedPage>
  )
}

/** The message that a prompt was deleted, with the ways to find it. */
const PromptNotFound = () => (
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
)
