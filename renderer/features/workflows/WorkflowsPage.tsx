import './workflows.texts.ts'
import { Button } from '@mantine/core'
import { IconPlus, IconSitemap, IconUpload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import type { WorkflowRow } from '../../../contract/workflow.ts'
import { useAdding } from '../../lib/adding.ts'
import { useCalmRows } from '../../lib/calm.ts'
import { t } from '../../lib/i18n.ts'
import { useKeys } from '../../lib/keys.ts'
import { usePaging } from '../../lib/paging.ts'
import { useReading } from '../../lib/reading.ts'
import { useSearchState } from '../../lib/search.ts'
import { useSelection } from '../../lib/selection.ts'
import { ColumnChooser } from '../../ui/ColumnChooser.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { DefinitionBulk } from '../../ui/definition/DefinitionBulk.tsx'
import { DefinitionEmpty } from '../../ui/definition/DefinitionEmpty.tsx'
import { DefinitionExport } from '../../ui/definition/DefinitionExport.tsx'
import { DefinitionForms } from '../../ui/definition/DefinitionForms.tsx'
import styles from '../../ui/definition/list.module.css'
import { useDefinitionActions } from '../../ui/definition/useDefinitionActions.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import type { FilterField } from '../../ui/filters.ts'
import { Page } from '../../ui/Page.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { WhyDisabled } from '../../ui/WhyDisabled.tsx'
import { workflowColumns } from './workflows.columns.tsx'
import { defaultSort, workflowsQuery } from './workflows.queries.ts'
import { workflowsSearch } from './workflows.search.ts'

const CreateWorkflow = lazy(() => import('./CreateWorkflow.tsx').then((m) => ({ default: m.CreateWorkflow })))
const DefinitionImport = lazy(() =>
  import('../../ui/definition/DefinitionImport.tsx').then((m) => ({ default: m.DefinitionImport })),
)

const filters: readonly FilterField[] = [
  { name: 'key', label: t('definition:field.key'), kind: 'text', isSingle: true },
]
const noFilters = { q: undefined, key: undefined }
const none: readonly WorkflowRow[] = []
const idOf = (row: WorkflowRow): string => row.id
const nameOf = (row: WorkflowRow): string => row.key

/** Steps that hand on to each other: every workflow. */
export function WorkflowsPage() {
  const [search, setSearch] = useSearchState(workflowsSearch)
  const navigate = useNavigate()
  const query = useQuery(workflowsQuery(search))
  const paging = usePaging(search.cursor, query.data)
  const [isCreating, setCreating] = useAdding('workflow', false)
  const [isImporting, setImporting] = useState(false)
  const [isAtTop, setAtTop] = useState(true)
  const { isReading, watch } = useReading()
  const actions = useDefinitionActions('workflow')
  const columns = useMemo(() => workflowColumns(actions), [actions])
  const scope = JSON.stringify(search)
  const selection = useSelection(scope)
  const calm = useCalmRows(query.data?.data ?? none, idOf, {
    isHeld: !isAtTop || isReading || selection.ids.size > 0,
    scope,
    isPlaceholder: query.isPlaceholderData,
  })
  useKeys(
    actions.mayNotWrite === null
      ? [{ keys: 'n', label: t('workflows:create.action'), run: () => setCreating(true) }]
      : [],
  )
  const { cursor: _cursor, sort: _sort, ...exported } = search
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('workflows:title')}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t('workflows:purpose')}
          actions={
            <>
              <WhyDisabled reason={actions.mayNotWrite}>
                <Button
                  variant="default"
                  leftSection={<IconUpload size={14} />}
                  onClick={() => setImporting(true)}
                >
                  {t('transfer:import.button')}
                </Button>
              </WhyDisabled>
              <DefinitionExport kind="workflow" query={exported} />
              <WhyDisabled reason={actions.mayNotWrite}>
                <Button leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
                  {t('workflows:create.action')}
                </Button>
              </WhyDisabled>
            </>
          }
        />
        <FilterBar fields={filters} values={search} onChange={setSearch} searchLabel={t('workflows:search')}>
          <ColumnChooser table="workflows" columns={columns} />
        </FilterBar>
        <div className={styles['fill']} {...watch}>
          <DataTable
            name="workflows"
            label={t('workflows:title')}
            query={query}
            rows={calm.rows}
            columns={columns}
            idOf={idOf}
            paging={paging}
            sort={search.sort ?? defaultSort}
            onSort={(sort) => setSearch(workflowsSearch.pick({ sort: true }).parse({ sort }))}
            onOpen={(row) => void navigate({ to: '/workflows/$id', params: { id: row.id } })}
            waiting={{
              count: calm.waiting,
              label: t('workflows:waiting', { count: calm.waiting }),
              onShow: calm.release,
            }}
            onAtTop={setAtTop}
            {...(actions.mayNotWrite === null && {
              selection: {
                state: selection,
                nameOf,
                actions: (chosen: readonly WorkflowRow[]) => (
                  <DefinitionBulk rows={chosen} actions={actions} onDone={selection.clear} />
                ),
              },
            })}
            empty={
              <DefinitionEmpty
                icon={<IconSitemap size={28} stroke={1.5} />}
                isFiltered={Object.keys(noFilters).some((name) => search[name as keyof typeof search])}
                onClear={() => setSearch(noFilters)}
                title={t('workflows:empty.title')}
                text={t('workflows:empty.text')}
                filtered={t('workflows:empty.filtered')}
                whyNotAdd={actions.mayNotWrite}
                add={t('workflows:create.action')}
                onAdd={() => setCreating(true)}
                onImport={() => setImporting(true)}
              />
            }
          />
        </div>
      </Page>
      <DefinitionForms actions={actions} />
      <Suspense>
        {isCreating && <CreateWorkflow workspace={search.workspace} onClose={() => setCreating(false)} />}
        {isImporting && (
          <DefinitionImport
            kind="workflow"
            workspace={search.workspace}
            onClose={() => setImporting(false)}
          />
        )}
      </Suspense>
    </>
  )
}
