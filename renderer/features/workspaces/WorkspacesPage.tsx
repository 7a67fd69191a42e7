import './workspaces.texts.ts'
import { Button } from '@mantine/core'
import { IconLayersSubtract, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import type { Workspace } from '../../../contract/system/workspaces.ts'
import { t } from '../../lib/i18n.ts'
import { useOpenRow } from '../../lib/page/drawer.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { useSearchState } from '../../lib/page/search.ts'
import { usePaging } from '../../lib/service/paging.ts'
import { useDisabledReason } from '../../lib/session/me.ts'
import { useCreateForm } from '../../lib/state/createForm.ts'
import { WhyDisabled } from '../../shared/access/WhyDisabled.tsx'
import { FilteredEmpty } from '../../ui/list/FilteredEmpty.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { useDrawerList } from '../../ui/list/useDrawerList.ts'
import { useDeleteWorkspace } from './useDeleteWorkspace.tsx'
import { WorkspaceDrawer } from './WorkspaceDrawer.tsx'
import { workspaceColumns } from './workspaces.columns.tsx'
import { defaultSort, workspacesQuery } from './workspaces.queries.ts'
import { workspacesSearch } from './workspaces.search.ts'

const WorkspaceForm = lazy(() =>
  import('./WorkspaceForm.tsx').then((module) => ({ default: module.WorkspaceForm })),
)

const columns = workspaceColumns()
const idOf = (workspace: Workspace): string => workspace.id

/** The list of workspaces. */
export function WorkspacesPage() {
  const [search, setSearch] = useSearchState('/workspaces/{-$id}', workspacesSearch)
  const query = useQuery(workspacesQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/workspaces')
  const [isAdding, setAdding] = useCreateForm('workspace')
  const addDisabledReason = useDisabledReason()('workspaces.create')
  const deletion = useDeleteWorkspace()
  const { updates, navigation } = useDrawerList(query, { search, paging, openId, open })
  useKeys(
    addDisabledReason === null ? [{ keys: 'n', label: t('workspaces:add'), run: () => setAdding(true) }] : [],
  )
  return (
    <>
      <ListPage
        name="workspaces"
        title={t('workspaces:title')}
        purpose={t('workspaces:purpose')}
        query={query}
        columns={columns}
        updates={updates}
        actions={
          <WhyDisabled reason={addDisabledReason}>
            <Button leftSection={<IconPlus size={14} />} onClick={() => setAdding(true)}>
              {t('workspaces:add')}
            </Button>
          </WhyDisabled>
        }
        filters={{ fields: [], values: search, onChange: setSearch, searchLabel: t('workspaces:search') }}
        table={{
          idOf,
          paging,
          sort: search.sort ?? defaultSort,
          onSort: (sort) => setSearch({ sort }),
          openId,
          onOpen: (workspace, isNewTab) => open(workspace.id, isNewTab),
        }}
        // The built-in workspace always exists, so only a search has no result.
        empty={
          <FilteredEmpty
            icon={<IconLayersSubtract size={28} stroke={1.5} />}
            isFiltered
            filtered={{ title: t('workspaces:empty.title'), text: t('workspaces:empty.text') }}
            onClear={() => setSearch({ q: undefined })}
          />
        }
      />
      {openId !== undefined && (
        <WorkspaceDrawer id={openId} navigation={navigation} onClose={close} deletion={deletion} />
      )}
      {isAdding && (
        <Suspense>
          <WorkspaceForm
            workspace={null}
            onClose={() => setAdding(false)}
            onSaved={(workspace) => open(workspace.id)}
          />
        </Suspense>
      )}
    </>
  )
}
