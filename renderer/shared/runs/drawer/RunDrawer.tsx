import '../runs.texts.ts'
import { useQuery } from '@tanstack/react-query'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { t } from '../../../lib/i18n.ts'
import { workspaceChoicesQuery } from '../../../lib/service/workspaces.ts'
import { CodeBlock } from '../../../ui/display/CodeBlock.tsx'
import { CopyButton } from '../../../ui/display/link/CopyButton.tsx'
import { LinkButton } from '../../../ui/display/link/LinkButton.tsx'
import { Time } from '../../../ui/display/Time.tsx'
import { DetailDrawer, type RowNavigation } from '../../../ui/page/DetailDrawer.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { RunContent } from '../content/RunContent.tsx'
import { StatusBadge } from '../StatusBadge.tsx'
import { CompareWith } from './CompareWith.tsx'
import styles from './drawer.module.css'
import { RunFacts } from './RunFacts.tsx'
import { RunFigures } from './RunFigures.tsx'
import { RunLinks } from './RunLinks.tsx'
import { runQuery } from './run.queries.ts'
import type { RunActions } from './runActions.ts'

type Props = {
  readonly id: string
  readonly navigation: RowNavigation
  readonly onClose: () => void
  /** The trace that the page shows, to which the drawer does not link. */
  readonly traceId?: string
  readonly actions: RunActions
}

/** A drawer with one run: input and output first, then the error, figures, details and links. */
export function RunDrawer({ id, navigation, onClose, traceId, actions }: Props) {
  const query = useQuery(runQuery(id))
  const workspaces = useQuery(workspaceChoicesQuery).data
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
            actions={actions}
          />
          {run.params !== null && <JsonSection title={t('runs:field.params')} value={run.params} />}
          {run.metadata !== null && <JsonSection title={t('runs:field.metadata')} value={run.metadata} />}
          <RunLinks run={run} traceId={traceId} actions={actions} />
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
