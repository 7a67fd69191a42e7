import { useQuery } from '@tanstack/react-query'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { t } from '../../../lib/i18n.ts'
import type { SetSearch } from '../../../lib/page/search.ts'
import { RunContent } from '../../../shared/runs/content/RunContent.tsx'
import { StatusBadge } from '../../../shared/runs/StatusBadge.tsx'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { DetailDrawer, type RowNavigation } from '../../../ui/page/DetailDrawer.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import styles from '../runs.module.css'
import { runQuery, type WorkspaceName } from '../runs.queries.ts'
import type { RunsSearch } from '../runs.search.ts'
import { CompareWith } from './CompareWith.tsx'
import { RunFacts } from './RunFacts.tsx'
import { RunFigures } from './RunFigures.tsx'
import { RunLinks } from './RunLinks.tsx'

type Props = {
  readonly id: string
  readonly navigation: RowNavigation
  readonly onClose: () => void
  readonly workspaces: readonly WorkspaceName[] | undefined
  readonly setSearch: SetSearch<RunsSearch>
}

/** A drawer with one run: input and output first, then the error, figures, details and links. */
export function RunDrawer({ id, navigation, onClose, workspaces, setSearch }: Props) {
  const query = useQuery(runQuery(id))
  const run = query.data
  return (
    <DetailDrawer
      title={t('runs:one', { id })}
      navigation={navigation}
      onClose={onClose}
      query={query}
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
      actions={
        run === undefined ? undefined : (
          <>
            <LinkButton variant="default" to="/playground" search={{ run: String(run.id) }}>
              {t('runs:show.playground')}
            </LinkButton>
            <CompareWith key={run.id} run={run} />
            <CopyButton value={JSON.stringify(run, null, 2)} label={t('runs:copy_json')} />
          </>
        )
      }
    >
      {run !== undefined && (
        <>
          <RunContent run={run} />
          {run.status === 'error' && <Failure run={run} />}
          <RunFigures run={run} />
          <RunFacts
            run={run}
            workspace={workspaces?.find((workspace) => workspace.id === run.workspace_id)}
            setSearch={setSearch}
          />
          {run.params !== null && <JsonSection title={t('runs:field.params')} value={run.params} />}
          {run.metadata !== null && <JsonSection title={t('runs:field.metadata')} value={run.metadata} />}
          <RunLinks run={run} setSearch={setSearch} />
        </>
      )}
    </DetailDrawer>
  )
}

function Failure({ run: { error } }: { readonly run: RunDetail }) {
  if (error === null) return <p className={styles['note']}>{t('runs:no_reason')}</p>
  const title = t('runs:field.error')
  return (
    <Section title={title} aside={<CopyButton value={error} label={t('runs:copy', { what: title })} />}>
      <CodeBlock text={error} label={title} tone="bad" />
    </Section>
  )
}

type JsonSectionProps = { readonly title: string; readonly value: object }

function JsonSection({ title, value }: JsonSectionProps) {
  const text = JSON.stringify(value, null, 2)
  return (
    <Section title={title} aside={<CopyButton value={text} label={t('runs:copy', { what: title })} />}>
      <CodeBlock text={text} label={title} />
    </Section>
  )
}
