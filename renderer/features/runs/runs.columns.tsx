import type { ReactNode } from 'react'
import type { ListedRun } from '../../../contract/runs/run.ts'
import { unknown } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { EnvBadge } from '../../shared/environments/EnvBadge.tsx'
import { Money } from '../../shared/runs/Money.tsx'
import { StatusBadge } from '../../shared/runs/StatusBadge.tsx'
import { Tokens } from '../../shared/runs/Tokens.tsx'
import { WorkspaceName } from '../../shared/workspaces/WorkspaceName.tsx'
import { ClockTime } from '../../ui/display/ClockTime.tsx'
import { Duration } from '../../ui/display/Duration.tsx'
import type { Column } from '../../ui/table/columns.ts'
import styles from './runs.module.css'
import { ExcerptText } from './search/ExcerptText.tsx'

const textCell = (text: string | null, className: string): ReactNode =>
  text === null ? (
    <span className="dimmed">{unknown}</span>
  ) : (
    <bdi className={`truncate ${className}`} title={text}>
      {text}
    </bdi>
  )
const truncated = (text: string | null, className = ''): ReactNode =>
  textCell(text, `${styles['truncated']} ${className}`)

/** The excerpts of a search in captured texts. */
const excerptColumn: Column<ListedRun> = {
  key: 'match',
  title: t('runs:field.match'),
  isFixed: true,
  width: 280,
  render: ({ excerpt }) => (excerpt === undefined ? null : <ExcerptText excerpt={excerpt} />),
}

/** Returns the columns of the run log. `hasExcerpts`: a search in captured texts is active. */
export const runColumns = (hasExcerpts: boolean): readonly Column<ListedRun>[] => {
  const [time, ...others] = columns()
  if (!hasExcerpts || time === undefined) return columns()
  const rest = others.map((column) =>
    hiddenBesideExcerpts.has(column.key) ? { ...column, isOptional: true } : column,
  )
  return [time, excerptColumn, ...rest]
}

/** Columns that are hidden by default beside excerpts, so that the status stays visible. */
const hiddenBesideExcerpts: ReadonlySet<string> = new Set(['source', 'in', 'out'])

const columns = (): readonly Column<ListedRun>[] => [
  {
    key: 'time',
    title: t('runs:field.time'),
    sortKey: 'created_at',
    isFixed: true,
    isHighestFirst: true,
    width: 124,
    render: (run) => <ClockTime at={run.created_at} />,
  },
  envColumn(),
  {
    key: 'source',
    title: t('runs:field.source'),
    width: 100,
    minFrameWidth: 1040,
    render: (run) => truncated(run.source, styles['source']),
  },
  {
    key: 'key',
    title: t('runs:field.key'),
    render: (run) => (
      <span className={`rest ${styles['key']}`}>
        {textCell(run.ref_key, 'mono')}
        {run.version !== null && <span className="mono dimmed">{run.version}</span>}
      </span>
    ),
  },
  {
    key: 'provider',
    title: t('runs:field.provider'),
    isOptional: true,
    render: (run) => truncated(run.provider),
  },
  {
    key: 'model',
    title: t('runs:field.model'),
    minFrameWidth: 606,
    render: (run) => <span className={`rest ${styles['model']}`}>{textCell(run.model, 'mono')}</span>,
  },
  {
    key: 'in',
    title: t('runs:field.in'),
    align: 'right',
    width: 92,
    minFrameWidth: 1004,
    render: (run) => <Tokens count={run.prompt_tokens} isEstimate={run.tokens_estimated} />,
  },
  {
    key: 'out',
    title: t('runs:field.out'),
    align: 'right',
    width: 84,
    minFrameWidth: 1004,
    render: (run) => <Tokens count={run.output_tokens} isEstimate={run.tokens_estimated} />,
  },
  {
    key: 'tokens',
    title: t('runs:field.tokens'),
    sortKey: 'total_tokens',
    isHighestFirst: true,
    align: 'right',
    width: 112,
    isOptional: true,
    render: (run) => <Tokens count={run.total_tokens} isEstimate={run.tokens_estimated} />,
  },
  {
    key: 'latency',
    title: t('runs:field.latency'),
    sortKey: 'latency_ms',
    isHighestFirst: true,
    align: 'right',
    width: 98,
    minFrameWidth: 480,
    render: (run) => <Duration ms={run.latency_ms} />,
  },
  {
    key: 'ttft',
    title: t('runs:field.ttft'),
    sortKey: 'ttft_ms',
    isHighestFirst: true,
    align: 'right',
    width: 104,
    isOptional: true,
    render: (run) => <Duration ms={run.ttft_ms} />,
  },
  {
    key: 'status',
    title: t('runs:field.status'),
    width: 88,
    render: (run) => <StatusBadge status={run.status} />,
  },
  {
    key: 'cost',
    title: t('runs:field.cost'),
    sortKey: 'cost_usd',
    isHighestFirst: true,
    align: 'right',
    width: 92,
    minFrameWidth: 780,
    render: (run) => <Money usd={run.cost_usd} />,
  },
  ...contextColumns(),
  {
    key: 'workspace',
    title: t('runs:field.workspace'),
    isOptional: true,
    render: (run) => (
      <WorkspaceName workspace={run.workspace_id} className={`truncate ${styles['truncated']}`} />
    ),
  },
  {
    key: 'id',
    title: t('common:id'),
    align: 'right',
    width: 92,
    isOptional: true,
    render: (run) => <span className="mono">{run.id}</span>,
  },
]

/** Columns of what an app reports about its call. */
const contextColumns = (): readonly Column<ListedRun>[] => [
  { key: 'error', title: t('runs:field.error'), isOptional: true, render: (run) => truncated(run.error) },
  { key: 'app', title: t('runs:field.app'), isOptional: true, render: (run) => truncated(run.app) },
  { key: 'token', title: t('runs:field.token'), isOptional: true, render: (run) => truncated(run.token) },
  {
    key: 'session',
    title: t('runs:field.session'),
    isOptional: true,
    render: (run) => truncated(run.session_id, 'mono'),
  },
  {
    key: 'end_user',
    title: t('runs:field.end_user'),
    isOptional: true,
    render: (run) => truncated(run.end_user, 'mono'),
  },
  {
    key: 'tags',
    title: t('runs:field.tags'),
    isOptional: true,
    render: (run) => truncated(run.tags?.join(', ') ?? null),
  },
  { key: 'user', title: t('runs:field.user'), isOptional: true, render: (run) => truncated(run.user) },
]

const envColumn = (): Column<ListedRun> => ({
  key: 'env',
  title: t('runs:column.env'),
  width: 68,
  minFrameWidth: 720,
  render: ({ env }) => (env === null ? textCell(null, '') : <EnvBadge env={env} />),
})
