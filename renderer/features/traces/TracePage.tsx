import './traces.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Run } from '../../../contract/runs/run.ts'
import { maxTraceSpans } from '../../../contract/runs/spans.ts'
import { formatNumber, formatTotal } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { Money } from '../../shared/runs/Money.tsx'
import { Tokens } from '../../shared/runs/Tokens.tsx'
import { Duration } from '../../ui/display/Duration.tsx'
import { FigureList, type LabelledFigure } from '../../ui/display/figures/FigureList.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { PageLoading } from '../../ui/feedback/PageLoading.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { TraceRowItem } from './TraceRowItem.tsx'
import styles from './traces.module.css'
import { traceQuery } from './traces.queries.ts'
import { traceSearch } from './traces.search.ts'
import { type Trace, timesOf, traceOf } from './traceTree.ts'

/** The calls, agents and tools of a trace as a tree, with their times beside each other. */
export function TracePage() {
  const { id } = useParams({ from: '/signed-in/shell/traces/$id' })
  const [{ workspace }] = useSearchState('/traces/$id', traceSearch)
  const query = useQuery(traceQuery(id, workspace))
  if (query.isPending) return <PageLoading />
  const { runs = [], spans = [], total = 0, isCapped = false } = query.data ?? {}
  return (
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
            trace={traceOf(runs, spans)}
            runs={runs}
            total={formatTotal(total, isCapped)}
            label={t('traces:one', { id })}
          />
        </>
      )}
    </Page>
  )
}

/** Returns the sum of the known values; null if none is known. */
function sumOfKnown(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0)
}

type WaterfallProps = {
  readonly trace: Trace
  readonly runs: readonly Run[]
  readonly total: string
  readonly label: string
}

function Waterfall({ trace, runs, total, label }: WaterfallProps) {
  const errors = trace.rows.filter(({ item }) => timesOf(item).status === 'error').length
  const figures: readonly LabelledFigure[] = [
    [t('traces:field.start'), <Time key="start" at={new Date(trace.startMs).toISOString()} />],
    [t('traces:field.duration'), <Duration key="duration" ms={trace.durationMs} />],
    [t('traces:field.runs'), total],
    [t('traces:field.errors'), formatNumber(errors)],
    [
      t('traces:field.tokens'),
      <Tokens key="tokens" count={sumOfKnown(runs.map(({ total_tokens: count }) => count))} />,
    ],
    [t('traces:field.cost'), <Money key="cost" usd={sumOfKnown(runs.map(({ cost_usd: cost }) => cost))} />],
  ]
  return (
    <>
      <FigureList figures={figures} />
      <ol className={styles['rows']} aria-label={label}>
        {trace.rows.map((row) => (
          <TraceRowItem key={row.key} row={row} durationMs={trace.durationMs} />
        ))}
      </ol>
    </>
  )
}
