import '../../shared/views/views.texts.ts'
import { ActionIcon } from '@mantine/core'
import { IconBookmark, IconPencil, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import type { SavedView } from '../../../contract/system/views.ts'
import { t, tMaybe } from '../../lib/i18n.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { usePaging } from '../../lib/service/paging.ts'
import { workspaceChoicesQuery } from '../../lib/service/workspaces.ts'
import { useDialogState } from '../../lib/state/useDraft.ts'
import { deleteView } from '../../shared/views/deleteView.ts'
import { Time } from '../../ui/display/Time.tsx'
import { FilteredEmpty } from '../../ui/list/FilteredEmpty.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useListUpdates } from '../../ui/list/useListUpdates.ts'
import type { Column } from '../../ui/table/columns.ts'
import styles from './views.module.css'
import { viewPageQuery } from './views.queries.ts'
import { viewsSearch } from './views.search.ts'

const ViewForm = lazy(() =>
  import('../../shared/views/ViewForm.tsx').then((module) => ({ default: module.ViewForm })),
)
const idOf = ({ id }: SavedView): string => id

/** The own and shared views of all lists. */
export function ViewsPage() {
  const [search, setSearch] = useSearchState('/views', viewsSearch)
  const query = useQuery(viewPageQuery(search))
  const queries = useQueryClient()
  const workspaces = useQuery(workspaceChoicesQuery).data
  const paging = usePaging(search.cursor, query.data)
  const updates = useListUpdates(query, { idOf, scope: JSON.stringify(search) })
  const [edited, setEdited] = useDialogState<SavedView>('view')
  const columns = useMemo(() => {
    const nameOf = (id: string): string => workspaces?.find((workspace) => workspace.id === id)?.name ?? id
    return viewColumns(nameOf, setEdited, (view) => void deleteView(queries, view))
  }, [workspaces, queries, setEdited])
  return (
    <>
      <ListPage
        name="views"
        title={t('views:title')}
        purpose={t('views:purpose')}
        query={query}
        columns={columns}
        updates={updates}
        filters={{ fields: [], values: search, onChange: setSearch, searchLabel: t('views:search') }}
        table={{
          idOf,
          paging,
          sort: search.sort ?? 'name',
          onSort: (sort) => setSearch({ sort }),
        }}
        empty={
          <FilteredEmpty
            icon={<IconBookmark size={28} stroke={1.5} />}
            isFiltered={search.q !== undefined}
            filtered={{ title: t('views:empty.filtered_title'), text: t('views:empty.filtered') }}
            onClear={() => setSearch({ q: undefined })}
            unfiltered={{ title: t('views:empty.title'), text: t('views:empty.text') }}
          />
        }
      />
      {edited !== null && (
        <Suspense>
          <ViewForm view={edited} columns={null} onClose={() => setEdited(null)} />
        </Suspense>
      )}
    </>
  )
}

const viewColumns = (
  workspaceName: (id: string) => string,
  onEdit: (view: SavedView) => void,
  onDelete: (view: SavedView) => void,
): readonly Column<SavedView>[] => [
  {
    key: 'name',
    title: t('views:column.name'),
    sortKey: 'name',
    isFixed: true,
    render: (view) => (
      <Link to="/views/$id" params={{ id: view.id }} className={styles['link'] ?? ''}>
        <bdi>{view.name}</bdi>
      </Link>
    ),
  },
  {
    key: 'page',
    title: t('views:column.page'),
    width: 140,
    render: ({ page }) => tMaybe(`resources:${page}.title`, page),
  },
  {
    key: 'sharing',
    title: t('views:column.sharing'),
    width: 220,
    minFrameWidth: 700,
    render: ({ workspace_id: id }) =>
      id === null ? t('views:private') : t('views:workspace', { name: workspaceName(id) }),
  },
  {
    key: 'owner',
    title: t('views:column.owner'),
    width: 140,
    minFrameWidth: 560,
    render: ({ owner }) => <bdi>{owner}</bdi>,
  },
  {
    key: 'changed',
    title: t('views:column.changed'),
    width: 140,
    minFrameWidth: 860,
    render: (view) => <Time at={view.updated_at} />,
  },
  {
    key: 'actions',
    title: t('views:column.actions'),
    width: 84,
    isFixed: true,
    render: (view) =>
      view.can_edit && (
        <>
          <ActionIcon aria-label={t('views:edit', { name: view.name })} onClick={() => onEdit(view)}>
            <IconPencil size={16} />
          </ActionIcon>
          <ActionIcon aria-label={t('views:delete', { name: view.name })} onClick={() => onDelete(view)}>
            <IconTrash size={16} />
          </ActionIcon>
        </>
      ),
  },
]
