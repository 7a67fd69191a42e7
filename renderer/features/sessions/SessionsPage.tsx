import './sessions.texts.ts'
import { IconMessages } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { RunSession } from '../../../contract/runs/sessions.ts'
import { formatNumber, unknown } from '../../lib/format/format.ts'
import { t } from '../../lib/i18n.ts'
import { useOpenPage } from '../../lib/page/openPage.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { usePaging } from '../../lib/service/paging.ts'
import { Money } from '../../shared/runs/Money.tsx'
import { Tokens } from '../../shared/runs/Tokens.tsx'
import { LazySavedViews } from '../../shared/views/LazySavedViews.tsx'
import { WorkspaceName } from '../../shared/workspaces/WorkspaceName.tsx'
import { ClockTime } from '../../ui/display/ClockTime.tsx'
import type { FilterField } from '../../ui/filter/filters.ts'
import { FilteredEmpty } from '../../ui/list/FilteredEmpty.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useListUpdates } from '../../ui/list/useListUpdates.ts'
import type { Column } from '../../ui/table/columns.ts'
import styles from './sessions.module.css'
import { defaultPeriod, defaultSort, sessionsQuery } from './sessions.queries.ts'
import { type SessionsSearch, sessionsSearch } from './sessions.search.ts'

const idOf = ({ id, workspace_id: workspace }: RunSession): string => `${workspace} ${id}`

/** The page with the list of sessions, latest activity first. */
export function SessionsPage() {
  const [search, setSearch] = useSearchState('/sessions', sessionsSearch)
  const openPage = useOpenPage()
  const query = useQuery(sessionsQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const isAllWorkspaces = search.workspace === undefined
  const columns = useMemo(() => sessionColumns(isAllWorkspaces), [isAllWorkspaces])
  const updates = useListUpdates(query, { idOf, scope: JSON.stringify(search) })
  const fields: readonly FilterField[] = [
    { name: 'end_user', label: t('sessions:field.end_user'), kind: 'text' },
  ]
  return (
    <ListPage
      name="sessions"
      title={t('sessions:title')}
      purpose={t('sessions:purpose')}
      query={query}
      columns={columns}
      updates={updates}
      filters={{ fields, values: search, onChange: setSearch, period: { fallback: defaultPeriod } }}
      tools={<LazySavedViews page="sessions" search={search} onChange={setSearch} columns={columns} />}
      table={{
        idOf,
        paging,
        sort: search.sort ?? defaultSort,
        onSort: (sort) => setSearch({ sort: sort as SessionsSearch['sort'] }),
        onOpen: ({ id, workspace_id: workspace }, isNewTab) =>
          openPage({ to: '/sessions/$id', params: { id }, search: { workspace } }, isNewTab),
      }}
      empty={
        <FilteredEmpty
          icon={<IconMessages size={28} stroke={1.5} />}
          isFiltered={search.end_user !== undefined || search.workspace !== undefined}
          filtered={{ title: t('sessions:empty.filtered_title'), text: t('sessions:empty.filtered') }}
          onClear={() => setSearch({ end_user: undefined, workspace: undefined })}
          unfiltered={{ title: t('sessions:empty.title'), text: t('sessions:empty.text') }}
        />
      }
    />
  )
}

/** Returns the columns. With all workspaces, the workspace is shown, because an ID may occur in several. */
const sessionColumns = (isAllWorkspaces: boolean): readonly Column<RunSession>[] => [
  {
    key: 'last',
    title: t('sessions:field.last'),
    sortKey: 'last_run_at',
    isHighestFirst: true,
    isFixed: true,
    width: 124,
    render: (session) => <ClockTime at={session.last_run_at} />,
  },
  {
    key: 'id',
    title: t('sessions:field.id'),
    isFixed: true,
    render: ({ id, workspace_id: workspace }) => (
      <Link to="/sessions/$id" params={{ id }} search={{ workspace }} className={`rest ${styles['link']}`}>
        <bdi className="mono truncate">{id}</bdi>
      </Link>
    ),
  },
  {
    key: 'end_user',
    title: t('sessions:field.end_user'),
    minFrameWidth: 900,
    render: ({ end_user: endUser }) =>
      endUser === null ? unknown : <bdi className={`mono truncate ${styles['short']}`}>{endUser}</bdi>,
  },
  {
    key: 'workspace',
    title: t('sessions:field.workspace'),
    minFrameWidth: 820,
    isOptional: !isAllWorkspaces,
    render: ({ workspace_id: workspace }) => <WorkspaceName workspace={workspace} />,
  },
  {
    key: 'apps',
    title: t('sessions:field.apps'),
    minFrameWidth: 620,
    render: ({ apps }) => (
      <bdi className={`truncate ${styles['short']}`}>{apps.length === 0 ? unknown : apps.join(', ')}</bdi>
    ),
  },
  {
    key: 'runs',
    title: t('sessions:field.runs'),
    align: 'right',
    width: 72,
    render: (session) => <span className="tabular">{formatNumber(session.run_count)}</span>,
  },
  {
    key: 'errors',
    title: t('sessions:field.errors'),
    align: 'right',
    width: 72,
    minFrameWidth: 480,
    render: (session) => <span className="tabular">{formatNumber(session.error_count)}</span>,
  },
  {
    key: 'tokens',
    title: t('sessions:field.tokens'),
    align: 'right',
    width: 92,
    minFrameWidth: 860,
    render: (session) => <Tokens count={session.total_tokens} />,
  },
  {
    key: 'cost',
    title: t('sessions:field.cost'),
    align: 'right',
    width: 92,
    minFrameWidth: 700,
    render: (session) => <Money usd={session.cost_usd} />,
  },
  {
    key: 'first',
    title: t('sessions:field.first'),
    width: 124,
    isOptional: true,
    render: (session) => <ClockTime at={session.first_run_at} />,
  },
]
