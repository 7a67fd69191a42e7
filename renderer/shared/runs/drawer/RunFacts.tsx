import { Link } from '@tanstack/react-router'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { formatExact, formatNumber } from '../../../lib/format/format.ts'
import { t } from '../../../lib/i18n.ts'
import { type Fact, Facts } from '../../../ui/page/Facts.tsx'
import { WorkspaceName } from '../../workspaces/WorkspaceName.tsx'
import styles from './drawer.module.css'
import { FilterTo } from './FilterTo.tsx'
import type { WorkspaceName as KnownWorkspace } from './run.queries.ts'
import type { RunActions, RunFilters } from './runActions.ts'

type Props = {
  readonly run: RunDetail
  readonly workspace: KnownWorkspace | undefined
  readonly actions: RunActions
}

type Field =
  | 'source'
  | 'provider'
  | 'model'
  | 'ref_key'
  | 'version'
  | 'user'
  | 'client'
  | 'parent_id'
  | 'error_type'
  | 'env'
  | 'app'
  | 'token'
  | 'session_id'
  | 'end_user'
  | 'trace_id'
  | 'reply_mark'

/** The fields of a run; empty ones are left out. */
export function RunFacts({ run, workspace, actions }: Props) {
  const exact = formatExact(new Date(run.created_at))
  const filterable = (field: Field, label: string, value: string | null, isMono = true): Fact | null =>
    value === null
      ? null
      : {
          label,
          value: (
            <FilterTo
              text={value}
              field={label}
              isMono={isMono}
              onFilter={() => actions.addFilters({ [field]: [value] } as RunFilters)}
            />
          ),
          copy: value,
        }
  const plain = (label: string, value: string | null): Fact | null =>
    value === null ? null : { label, value: <span className="mono">{value}</span>, copy: value }
  const number = (label: string, value: number | null): Fact | null =>
    value === null ? null : { label, value: <span className="tabular">{formatNumber(value)}</span> }
  return (
    <Facts
      facts={[
        {
          label: t('runs:field.time'),
          value: (
            <span className="tabular">
              {exact.local} <span className="dimmed">· {exact.utc}</span>
            </span>
          ),
          copy: run.created_at,
        },
        filterable('ref_key', t('runs:field.key'), run.ref_key),
        filterable('version', t('runs:field.version'), run.version),
        filterable('source', t('runs:field.source'), run.source, false),
        filterable('provider', t('runs:field.provider'), run.provider, false),
        filterable('model', t('runs:field.model'), run.model),
        {
          label: t('runs:field.workspace'),
          value:
            workspace === undefined ? (
              <WorkspaceName workspace={run.workspace_id} />
            ) : (
              <Link to="/workspaces/{-$id}" params={{ id: workspace.id }} className={styles['link'] ?? ''}>
                <bdi>{workspace.name}</bdi>
              </Link>
            ),
          copy: run.workspace_id,
        },
        filterable('env', t('runs:field.env'), run.env, false),
        filterable('app', t('runs:field.app'), run.app, false),
        filterable('token', t('runs:field.token'), run.token, false),
        filterable('session_id', t('runs:field.session'), run.session_id),
        filterable('trace_id', t('runs:field.trace'), run.trace_id),
        filterable('end_user', t('runs:field.end_user'), run.end_user),
        run.tags !== null && {
          label: t('runs:field.tags'),
          value: <Tags tags={run.tags} actions={actions} />,
          copy: run.tags.join(', '),
        },
        filterable('user', t('runs:field.user'), run.user, false),
        filterable('client', t('runs:field.client'), run.client_id),
        filterable('parent_id', t('runs:field.parent'), run.parent_id),
        filterable('error_type', t('runs:field.error_type'), run.error_type),
        filterable('reply_mark', t('runs:field.reply_mark'), run.reply_mark, false),
        plain(t('runs:field.finish'), run.finish_reason),
        plain(t('runs:field.response_model'), run.response_model),
        plain(t('runs:field.tools'), run.tool_names?.join(', ') ?? null),
        number(t('runs:field.cached'), run.cached_tokens),
        number(t('runs:field.reasoning'), run.reasoning_tokens),
        number(t('runs:field.speed'), run.tokens_per_second),
        {
          label: t('runs:field.origin'),
          value: t(run.reported ? 'runs:origin.reported' : 'runs:origin.own'),
        },
        plain(t('runs:field.request'), run.request_id),
        plain(t('runs:field.response'), run.response_id),
        plain(t('runs:field.provider_request'), run.provider_request_id),
        plain(t('runs:field.call'), run.call_id),
        plain(t('runs:field.client_run'), run.client_run_id),
        plain(t('common:id'), String(run.id)),
      ]}
    />
  )
}

type TagsProps = { readonly tags: readonly string[]; readonly actions: RunActions }

const Tags = ({ tags, actions }: TagsProps) =>
  tags.map((tag) => (
    <FilterTo
      key={tag}
      text={tag}
      field={t('runs:field.tag')}
      onFilter={() => actions.addFilters({ tag: [tag] })}
    />
  ))
