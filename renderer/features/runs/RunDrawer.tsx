import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { RunDetail } from '../../../contract/runs/run.ts'
import { t } from '../../lib/i18n.ts'
import type { SetSearch } from '../../lib/page/search.ts'
import { Money } from '../../shared/runs/Money.tsx'
import { StatusBadge } from '../../shared/runs/StatusBadge.tsx'
import { Tokens } from '../../shared/runs/Tokens.tsx'
import { CodeBlock } from '../../ui/display/CodeBlock.tsx'
import { Duration } from '../../ui/display/Duration.tsx'
import { CopyButton } from '../../ui/display/link/CopyButton.tsx'
import { LinkButton } from '../../ui/display/link/LinkButton.tsx'
import { Time } from '../../ui/display/Time.tsx'
import { DetailDrawer, type RowNavigation } from '../../ui/page/DetailDrawer.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { RunFacts } from './RunFacts.tsx'
import { RunPayload } from './RunPayload.tsx'
import { noFilters } from './runs.filters.ts'
import styles from './runs.module.css'
import { runQuery, type WorkspaceName } from './runs.queries.ts'
import type { RunsSearch } from './runs.search.ts'
import { SameKey } from './SameKey.tsx'

type Props = {
  readonly id: string
  readonly navigation: RowNavigation
  readonly onClose: () => void
  readonly workspaces: readonly WorkspaceName[] | undefined
  readonly setSearch: SetSearch<RunsSearch>
}

/** A drawer with the details of one run; the cause of a failure comes first. */
export function RunDrawer({ id, navigation, onClose, workspaces, setSearch }: Props) {
  const query = useQuery(runQuery(id))
  const run = query.data
  return (
    <DetailDrawer
      title={t('runs:one', { id })}
      navigation={navigation}
      onClose={onClose}
      isLoading={query.isPending}
      error={run === undefined ? query.error : null}
      onRetry={() => void query.refetch()}
      summary={
        run === undefined ? undefined : (
          <>
            <StatusBadge status={run.status} />
            {run.ref_key !== null && <bdi className="mono">{run.ref_key}</bdi>}
            <bdi className="mono dimmed">{run.model}</bdi>
            <span className="dimmed">
              <Time at={run.created_at} />
            </span>
          </>
        )
      }
      actions={run === undefined ? undefined : <Actions run={run} setSearch={setSearch} />}
    >
      {run !== undefined && (
        <>
          {run.status === 'error' && <Failure error={run.error} />}
          <Figures run={run} />
          <RunFacts
            run={run}
            workspace={workspaces?.find((workspace) => workspace.id === run.workspace_id)}
            setSearch={setSearch}
          />
          {run.params !== null && <RunPayload title={t('runs:field.params')} value={run.params} />}
          {run.input !== null && <RunPayload title={t('runs:field.input')} value={run.input} />}
          {run.output !== null && <RunPayload title={t('runs:field.output')} value={run.output} />}
          {run.input === null && run.output === null && (
            <p className={styles['note']}>{t(`runs:content.${run.content_state}`)}</p>
          )}
        </>
      )}
    </DetailDrawer>
  )
}

type ActionsProps = { readonly run: RunDetail; readonly setSearch: SetSearch<RunsSearch> }

function Actions({ run, setSearch }: ActionsProps) {
  const { ref_key: key, parent_id: parent, source } = run
  return (
    <>
      <LinkButton variant="default" to="/playground" search={{ run: String(run.id) }}>
        {t('runs:show.playground')}
      </LinkButton>
      {key !== null && (
        <>
          <SameKey run={{ ...run, ref_key: key }} />
          <Button variant="default" onClick={() => setSearch({ ...noFilters, ref_key: [key] })}>
            {t('runs:show.key')}
          </Button>
        </>
      )}
      {parent !== null && source === 'workflow' && (
        <LinkButton variant="default" to="/workflow-runs/$id" params={{ id: parent }}>
          {t('runs:show.execution')}
        </LinkButton>
      )}
      {parent !== null && (
        <LinkButton
          variant="default"
          to="/runs/{-$id}"
          params={{ id: String(run.id) }}
          search={{ parent_id: [parent], period: 'all', sort: 'created_at' }}
        >
          {t('runs:show.parent')}
        </LinkButton>
      )}
      {run.status === 'error' && (
        <Button
          variant="default"
          onClick={() => setSearch({ ...noFilters, status: ['error'], model: [run.model] })}
        >
          {t('runs:show.errors')}
        </Button>
      )}
      <CopyButton value={JSON.stringify(run, null, 2)} label={t('runs:copy_json')} />
    </>
  )
}

function Failure({ error }: { readonly error: string | null }) {
  if (error === null) return <p className={styles['note']}>{t('runs:no_reason')}</p>
  const title = t('runs:field.error')
  return (
    <Section title={title} aside={<CopyButton value={error} label={t('runs:copy', { what: title })} />}>
      <CodeBlock text={error} label={title} tone="bad" />
    </Section>
  )
}

function Figures({ run }: { readonly run: RunDetail }) {
  const isEstimate = run.tokens_estimated
  const figures: readonly (readonly [label: string, value: ReactNode])[] = [
    [t('runs:field.latency'), <Duration key="latency" ms={run.latency_ms} />],
    [t('runs:field.ttft'), <Duration key="ttft" ms={run.ttft_ms} />],
    [t('runs:field.tokens_in'), <Tokens key="in" count={run.prompt_tokens} isEstimate={isEstimate} />],
    [t('runs:field.tokens_out'), <Tokens key="out" count={run.output_tokens} isEstimate={isEstimate} />],
    [t('runs:field.tokens'), <Tokens key="total" count={run.total_tokens} isEstimate={isEstimate} />],
    [t('runs:field.cost'), <Money key="cost" usd={run.cost_usd} />],
  ]
  return (
    <dl className={styles['strip']}>
      {figures.map(([label, value]) => (
        <div key={label} className={styles['figure']}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
