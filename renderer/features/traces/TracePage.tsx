import './traces.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { maxTraceSpans } from '../../../contract/runs/spans.ts'
import { formatNumber, formatTotal } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../ui/feedback/PageLoading.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { TraceRun } from './TraceRun.tsx'
import { traceQuery } from './traces.queries.ts'
import { traceSearch } from './traces.search.ts'
import { traceOf } from './traceTree.ts'
import { Waterfall } from './Waterfall.tsx'

/** The calls, agents and tools of a trace as a tree, with their times beside each other. */
export function TracePage() {
  const { id } = useParams({ from: '/signed-in/shell/traces/$id' })
  const [{ workspace, run: openId }, setSearch] = useSearchState('/traces/$id', traceSearch)
  const query = useQuery(traceQuery(id, workspace))
  if (query.isPending) return <PageLoading />
  const { runs = [], spans = [], total = 0, isCapped = false } = query.data ?? {}
  const trace = traceOf(runs, spans)
  return (
    <>
      <Page>
        <PageHeader
          title={t('traces:one', { id: id.slice(0, 8) })}
          purpose={t('traces:purpose')}
          actions={
            <LinkButton
              variant="default"
              to="/runs/{-$id}"
              search={{ trace_id: [id], workspace, period: 'all', sort: 'created_at' }}
            >
              {t('traces:runs_link')}
            </LinkButton>
          }
        />
        {query.data === undefined ? (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        ) : runs.length + spans.length === 0 ? (
          <EmptyState title={t('traces:empty.title')} text={t('traces:empty.text')} />
        ) : (
          <>
            {(total > runs.length || spans.length === maxTraceSpans) && (
              <p className="dimmed">
                {t('traces:shown', {
                  runs: formatNumber(runs.length),
                  total: formatTotal(total, isCapped),
                  spans: formatNumber(spans.length),
                })}
              </p>
            )}
            <Waterfall
              trace={trace}
              openId={openId}
              total={formatTotal(total, isCapped)}
              label={t('traces:one', { id })}
            />
          </>
        )}
      </Page>
      {openId !== undefined && <TraceRun traceId={id} trace={trace} id={openId} setSearch={setSearch} />}
    </>
  )
}
