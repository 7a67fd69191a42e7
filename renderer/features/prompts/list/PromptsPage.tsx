import '../prompts.texts.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import type { PromptRow } from '../../../../contract/prompts/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { useDependentInvalidation } from '../../../lib/service/dependentInvalidation.ts'
import { useMe } from '../../../lib/session/me.ts'
import { draftName, hasDraft } from '../../../lib/state/drafts.ts'
import { ListHeader } from '../../../shared/resources/list/ListHeader.tsx'
import { ResourceTable } from '../../../shared/resources/list/ResourceTable.tsx'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { ColumnChooser } from '../../../ui/table/ColumnChooser.tsx'
import { ExportPrompts } from '../forms/ExportPrompts.tsx'
import { PromptForms } from '../forms/PromptForms.tsx'
import { facetsQuery, promptsQuery } from '../prompts.queries.ts'
import { usePromptActions } from '../usePromptActions.tsx'
import { FolderTree } from './FolderTree.tsx'
import { noFolder } from './folders.ts'
import { PromptsEmpty } from './PromptsEmpty.tsx'
import { promptColumns } from './prompts.columns.tsx'
import { promptFilters } from './prompts.filters.ts'
import styles from './prompts.module.css'
import { promptsSearch } from './prompts.search.ts'

const CreateForm = lazy(() =>
  import('../forms/CreateForm.tsx').then((module) => ({ default: module.CreateForm })),
)
const ImportPrompts = lazy(() =>
  import('../forms/ImportPrompts.tsx').then((module) => ({ default: module.ImportPrompts })),
)

/** The list of prompts, with the tree of folders. */
export function PromptsPage() {
  const [search, setSearch] = useSearchState('/prompts', promptsSearch)
  const navigate = useNavigate()
  const query = useQuery(promptsQuery(search))
  const facets = useQuery(facetsQuery(search)).data
  useDependentInvalidation('client', ['prompt', 'list'])
  const me = useMe()
  const [dialog, setDialog] = useState<'create' | 'import' | null>(
    hasDraft(draftName('prompt'), me.username) ? 'create' : null,
  )
  const { actions, openDialog, close } = usePromptActions()
  const isTrash = search.view === 'trash'
  const columns = useMemo(() => promptColumns(actions, isTrash), [actions, isTrash])
  const create = (): void => setDialog('create')
  useKeys(
    actions.writeDisabledReason === null
      ? [{ keys: 'n', label: t('prompts:create.action'), run: create }]
      : [],
  )
  return (
    <>
      <Page isFilled>
        <ListHeader
          texts="prompts"
          reply={query.data}
          addDisabledReason={actions.writeDisabledReason}
          onCreate={create}
          onImport={() => setDialog('import')}
        >
          {!isTrash && <ExportPrompts search={search} total={query.data?.total ?? 0} />}
        </ListHeader>
        <FilterBar
          fields={isTrash ? [] : promptFilters(facets)}
          values={search}
          onChange={setSearch}
          searchLabel={t('prompts:search')}
        >
          <ColumnChooser table="prompts" columns={columns} />
        </FilterBar>
        <div className={styles['split']}>
          <FolderTree
            facets={facets}
            chosen={search}
            onChoose={({ folder, view }) => setSearch({ folder, view })}
          />
          <ResourceTable
            texts="prompts"
            search={search}
            query={query}
            columns={columns}
            onSort={(sort) => setSearch({ sort })}
            table={{
              isDimmed: (row) => row.deleted_at !== null,
              ...(!isTrash && {
                onOpen: (row: PromptRow) => void navigate({ to: '/prompts/$id', params: { id: row.id } }),
              }),
            }}
            empty={
              <PromptsEmpty
                search={search}
                setSearch={setSearch}
                addDisabledReason={actions.writeDisabledReason}
                onCreate={create}
                onImport={() => setDialog('import')}
              />
            }
          />
        </div>
      </Page>
      <PromptForms openDialog={openDialog} close={close} />
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
