import '../prompts.texts.ts'
import { Button } from '@mantine/core'
import { IconPlus, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import type { PromptRow } from '../../../../contract/prompt-list.ts'
import { t } from '../../../lib/i18n.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import { useRowHoverOrFocus } from '../../../lib/page/rowHoverOrFocus.ts'
import { useSearchState } from '../../../lib/page/search.ts'
import { useDependentInvalidation } from '../../../lib/service/dependentInvalidation.ts'
import { usePaging } from '../../../lib/service/paging.ts'
import { useMe } from '../../../lib/session/me.ts'
import { draftName, hasDraft } from '../../../lib/state/drafts.ts'
import { usePausedRows } from '../../../lib/state/pausedRows.ts'
import { WhyDisabled } from '../../../shared/access/WhyDisabled.tsx'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import { Page } from '../../../ui/page/Page.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { ColumnChooser } from '../../../ui/table/ColumnChooser.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { ExportPrompts } from '../forms/ExportPrompts.tsx'
import { PromptForms } from '../forms/PromptForms.tsx'
import { defaultSort, facetsQuery, promptsQuery } from '../prompts.queries.ts'
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

const none: readonly PromptRow[] = []
const idOf = (row: PromptRow): string => row.id

/** The list of prompts, with the tree of folders. */
export function PromptsPage() {
  const [search, setSearch] = useSearchState('/prompts', promptsSearch)
  const navigate = useNavigate()
  const query = useQuery(promptsQuery(search))
  const facets = useQuery(facetsQuery(search)).data
  useDependentInvalidation('client', ['prompt', 'list'])
  const paging = usePaging(search.cursor, query.data)
  const me = useMe()
  const [dialog, setDialog] = useState<'create' | 'import' | null>(
    hasDraft(draftName('prompt'), me.username) ? 'create' : null,
  )
  const [isAtTop, setAtTop] = useState(true)
  const { isHoveredOrFocused, handlers } = useRowHoverOrFocus()
  const { actions, asking, close } = usePromptActions()
  const isTrash = search.view === 'trash'
  const columns = useMemo(() => promptColumns(actions, isTrash), [actions, isTrash])
  const updates = usePausedRows(query.data?.data ?? none, idOf, {
    isPaused: !isAtTop || isHoveredOrFocused,
    scope: JSON.stringify(search),
    isPlaceholder: query.isPlaceholderData,
  })
  const create = (): void => setDialog('create')
  useKeys(actions.mayNotWrite === null ? [{ keys: 'n', label: t('prompts:create.action'), run: create }] : [])
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('prompts:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('prompts:purpose')}
          actions={
            <>
              <WhyDisabled reason={actions.mayNotWrite}>
                <Button
                  variant="default"
                  leftSection={<IconUpload size={14} />}
                  onClick={() => setDialog('import')}
                >
                  {t('transfer:import.button')}
                </Button>
              </WhyDisabled>
              {!isTrash && <ExportPrompts search={search} total={query.data?.total ?? 0} />}
              <WhyDisabled reason={actions.mayNotWrite}>
                <Button leftSection={<IconPlus size={14} />} onClick={create}>
                  {t('prompts:create.action')}
                </Button>
              </WhyDisabled>
            </>
          }
        />
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
          <div className={styles['list']} {...handlers}>
            <DataTable
              name="prompts"
              label={t('prompts:title')}
              query={query}
              rows={updates.rows}
              columns={columns}
              idOf={idOf}
              paging={paging}
              sort={search.sort ?? defaultSort}
              onSort={(sort) => setSearch(promptsSearch.pick({ sort: true }).parse({ sort }))}
              {...(isTrash
                ? {}
                : {
                    onOpen: (row: PromptRow) => void navigate({ to: '/prompts/$id', params: { id: row.id } }),
                  })}
              isDimmed={(row) => row.deleted_at !== null}
              waiting={{
                count: updates.newCount,
                label: t('prompts:waiting', { count: updates.newCount }),
                onShow: updates.showNew,
              }}
              onAtTop={setAtTop}
              empty={
                <PromptsEmpty
                  search={search}
                  setSearch={setSearch}
                  whyNotAdd={actions.mayNotWrite}
                  onCreate={create}
                  onImport={() => setDialog('import')}
                />
              }
            />
          </div>
        </div>
      </Page>
      <PromptForms asking={asking} close={close} />
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
