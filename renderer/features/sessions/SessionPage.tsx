import './sessions.texts.ts'
import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { RunSession } from '../../../contract/runs/sessions.ts'
import { formatNumber, formatSpan, unknown } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { Money } from '../../shared/runs/Money.tsx'
import { WorkspaceName } from '../../shared/workspaces/WorkspaceName.tsx'
import { FigureList, type LabelledFigure } from '../../ui/display/figures/FigureList.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../ui/feedback/PageLoading.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { SessionTurn } from './SessionTurn.tsx'
import styles from './sessions.module.css'
import { sessionQuery } from './sessions.queries.ts'
import { sessionSearch } from './sessions.search.ts'

/** A conversation: its figures, and its runs in order with what was captured. */
export function SessionPage() {
  const { id } = useParams({ from: '/signed-in/shell/sessions/$id' })
  const [{ workspace }] = useSearchState('/sessions/$id', sessionSearch)
  const query = useInfiniteQuery(sessionQuery(id, workspace))
  const session = query.data?.pages.at(-1)?.data
  if (query.isPending) return <PageLoading />
  const runs = query.data?.pages.flatMap((page) => page.data.runs) ?? []
  return (
    <Page>
      <PageHeader
        title={t('sessions:one', { id })}
        actions={
          <>
            <LinkButton variant="default" to="/sessions">
              {t('sessions:all_sessions')}
            </LinkButton>
            <LinkButton
              variant="default"
              to="/runs/{-$id}"
              search={{
                session_id: [id],
                workspace: session?.workspace_id,
                period: 'all',
                sort: 'created_at',
              }}
            >
              {t('sessions:runs_link')}
            </LinkButton>
          </>
        }
      />
      {session === undefined ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          <Figures session={session} />
          <ol className={styles['turns']} aria-label={t('sessions:one', { id })}>
            {runs.map((run, index) => (
              <SessionTurn key={run.id} run={run} previous={runs[index - 1]} />
            ))}
          </ol>
          {query.hasNextPage && (
            <div>
              <Button
                variant="default"
                loading={query.isFetchingNextPage}
                onClick={() => void query.fetchNextPage()}
              >
                {t('sessions:more')}
              </Button>{' '}
              <span className="dimmed">
                {t('sessions:shown', {
                  shown: formatNumber(runs.length),
                  total: formatNumber(session.run_count),
                })}
              </span>
            </div>
          )}
        </>
      )}
    </Page>
  )
}

function Figures({ session }: { readonly session: RunSession }) {
  const { first_run_at: first, last_run_at: last, apps } = session
  const figures: readonly LabelledFigure[] = [
    [t('sessions:field.runs'), formatNumber(session.run_count)],
    [t('sessions:field.errors'), formatNumber(session.error_count)],
    [t('sessions:field.tokens'), formatNumber(session.total_tokens)],
    [t('sessions:field.cost'), <Money key="cost" usd={session.cost_usd} />],
    [t('sessions:field.first'), <Time key="first" at={first} />],
    [t('sessions:field.last'), <Time key="last" at={last} />],
    [t('sessions:field.duration'), formatSpan(Date.parse(last) - Date.parse(first))],
    [t('sessions:field.end_user'), <bdi key="user">{session.end_user ?? unknown}</bdi>],
    [t('sessions:field.apps'), apps.length === 0 ? unknown : apps.join(', ')],
    [t('sessions:field.workspace'), <WorkspaceName key="workspace" workspace={session.workspace_id} />],
  ]
  return <FigureList figures={figures} />
}
