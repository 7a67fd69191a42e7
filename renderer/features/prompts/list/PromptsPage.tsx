import '../prompts.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { useDependentInvalidation } from '../../../lib/service/dependentInvalidation.ts'
import { useSelection } from '../../../lib/state/selection.ts'
import { useDialogState } from '../../../lib/state/useDraft.ts'
import { ListHeader } from '../../../shared/resources/list/ListHeader.tsx'
import { ResourceTable } from '../../../shared/resources/list/ResourceTable.tsx'
import { LazySavedViews } from '../../../shared/views/LazySavedViews.tsx'
import { useWorkspaceColumn } from '../../../shared/workspaces/useWorkspaceColumn.tsx'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { ColumnChooser } from '../../../ui/table/ColumnChooser.tsx'
import type { BulkRequest } from '../bulk/BulkDialogs.tsx'
import { promptsIn } from '../bulk/bulk.ts'
import { BulkDialogs } from '../bulk/LazyBulkDialogs.tsx'
import { ExportPrompts } from '../forms/ExportPrompts.tsx'
import { PromptForms } from '../forms/PromptForms.tsx'
import { KeysTable } from '../keys/KeysTable.tsx'
import { rowIdOf } from '../keys/keyRow.ts'
import { keyColumns } from '../keys/keys.columns.tsx'
import { facetsQuery, keysQuery, trashQuery } from '../prompts.queries.ts'
import { type PromptActions, usePromptActions } from '../usePromptActions.tsx'
import { FolderTree } from './FolderTree.tsx'
import { noFolder } from './folders.ts'
import { PromptsEmpty } from './PromptsEmpty.tsx'
import { trashColumns } from './prompts.columns.tsx'
import { promptFilters } from './prompts.filters.ts'
import styles from './prompts.module.css'
import { promptsSearch } from './prompts.search.ts'

const CreateForm = lazy(() =>
  import('../forms/CreateForm.tsx').then((module) => ({ default: module.CreateForm })),
)
const ImportPrompts = lazy(() =>
  import('../forms/ImportPrompts.tsx').then((module) => ({ default: module.ImportPrompts })),
)

const trashTable = { isDimmed: () => true }

/** Returns the columns of both tables. They stay the same until the permissions change. */
function useColumns(actions: PromptActions, onBulk: (request: BulkRequest) => void) {
  const columns = useMemo(
    () =>
      keyColumns({
        prompts: actions,
        openBulk: (kind, row) => onBulk({ kind, prompts: promptsIn([row], null) }),
      }),
    [actions, onBulk],
  )
  const deletedColumns = useMemo(() => trashColumns(actions), [actions])
  const title = t('prompts:field.workspace')
  return {
    columns: useWorkspaceColumn(columns, title),
    deletedColumns: useWorkspaceColumn(deletedColumns, title),
  }
}

/** The list of prompts, with the tree of folders. */
export function PromptsPage() {
  const [search, setSearch] = useSearchState('/prompts', promptsSearch)
  const isTrash = search.view === 'trash'
  const keys = useQuery({ ...keysQuery(search), enabled: !isTrash })
  const trash = useQuery({ ...trashQuery(search), enabled: isTrash })
  const facets = useQuery(facetsQuery(search)).data
  useDependentInvalidation('client', ['prompt', 'list'])
  const [dialog, setDialog] = useDialogState<'create' | 'import'>('prompts')
  const { actions, openDialog, close } = usePromptActions()
  const [bulk, setBulk] = useState<BulkRequest | null>(null)
  const selection = useSelection(JSON.stringify(search))
  const { columns, deletedColumns } = useColumns(actions, setBulk)
  const create = (): void => setDialog('create')
  useKeys(
    actions.writeDisabledReason === null
      ? [{ keys: 'n', label: t('prompts:create.action'), run: create }]
      : [],
  )
  const empty = (
    <PromptsEmpty
      search={search}
      setSearch={setSearch}
      addDisabledReason={actions.writeDisabledReason}
      onCreate={create}
      onImport={() => setDialog('import')}
    />
  )
  return (
    <>
      <Page isFilled>
        <ListHeader
          texts="prompts"
          reply={isTrash ? trash.data : keys.data}
          addDisabledReason={actions.writeDisabledReason}
          onCreate={create}
          onImport={() => setDialog('import')}
        >
          {!isTrash && <ExportPrompts search={search} />}
        </ListHeader>
        <FilterBar
          fields={isTrash ? [] : promptFilters(facets)}
          values={search}
          onChange={setSearch}
          searchLabel={t('prompts:search')}
        >
          {isTrash ? (
            <ColumnChooser table="trash" columns={deletedColumns} />
          ) : (
            <>
              <LazySavedViews page="prompts" search={search} onChange={setSearch} columns={columns} />
              <ColumnChooser table="prompts" columns={columns} />
            </>
          )}
        </FilterBar>
        <div className={styles['split']}>
          <FolderTree
            facets={facets}
            chosen={{ folder: search.folder, view: isTrash ? 'trash' : undefined }}
            onChoose={({ folder, view }) =>
              setSearch({ folder, view: view ?? (isTrash ? undefined : search.view) })
            }
          />
          {isTrash ? (
            <ResourceTable
              texts="prompts"
              name="trash"
              search={search}
              query={trash}
              columns={deletedColumns}
              onSort={() => undefined}
              table={trashTable}
              empty={empty}
            />
          ) : (
            <KeysTable
              search={search}
              setSearch={setSearch}
              query={keys}
              columns={columns}
              actions={actions}
              selection={selection}
              onBulk={setBulk}
              empty={empty}
            />
          )}
        </div>
      </Page>
      <PromptForms openDialog={openDialog} close={close} />
      <BulkDialogs
        request={bulk}
        actions={actions}
        tags={facets?.tags}
        onClose={(left) => {
          setBulk(null)
          const failed = bulk?.prompts.filter(({ id }) => left?.has(id)) ?? []
          if (left !== null) selection.keep(new Set(failed.map(rowIdOf)))
        }}
      />
      <Suspense>
        {dialog === 'create' && (
          <CreateForm
            folder={search.folder === noFolder ? '' : (search.folder ?? '')}
            workspace={search.workspace}
            env={search.env?.length === 1 ? search.env[0] : undefined}
            onClose={() => setDialog(null)}
          />
        )}
        {dialog === 'import' && (
          <ImportPrompts workspace={search.workspace} onClose={() => setDialog(null)} />
        )}
      </Suspense>
    </>
  )
}
