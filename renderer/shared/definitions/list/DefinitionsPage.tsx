import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { t } from '../../../lib/i18n.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import { useOpenPage } from '../../../lib/page/openPage.ts'
import type { ListQuery } from '../../../lib/service/api.ts'
import { useCreateForm } from '../../../lib/state/createForm.ts'
import { useSelection } from '../../../lib/state/selection.ts'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import type { FilterField, FilterValue } from '../../../ui/filter/filters.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { ColumnChooser } from '../../../ui/table/ColumnChooser.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import { ListEmpty } from '../../resources/list/ListEmpty.tsx'
import { ListHeader } from '../../resources/list/ListHeader.tsx'
import { ResourceTable } from '../../resources/list/ResourceTable.tsx'
import { useWorkspaceColumn } from '../../workspaces/useWorkspaceColumn.tsx'
import { catalogueOf, type Kind, pageOf } from '../definition.ts'
import type { DefinitionRow } from './columns.tsx'
import { DefinitionBulk } from './DefinitionBulk.tsx'
import { DefinitionExport } from './DefinitionExport.tsx'
import { DefinitionForms } from './DefinitionForms.tsx'
import { type DefinitionActions, useDefinitionActions } from './useDefinitionActions.tsx'

const DefinitionImport = lazy(() =>
  import('./DefinitionImport.tsx').then((m) => ({ default: m.DefinitionImport })),
)

/** Search parameters of the page. Each of its filters adds one. */
type Search = {
  readonly q?: string | undefined
  readonly cursor?: string | undefined
  readonly sort?: string | undefined
  readonly workspace?: string | undefined
}

type Props<T extends DefinitionRow> = {
  readonly kind: Kind
  readonly icon: ReactNode
  readonly search: Search
  /** The page's `setSearch`. */
  readonly onSearch: (patch: never, options?: { readonly replace?: boolean }) => void
  readonly filters: readonly FilterField[]
  readonly query: ListQuery<T>
  readonly columnsFor: (actions: DefinitionActions) => readonly Column<T>[]
  /** Returns the form for a new one. */
  readonly create: (onClose: () => void) => ReactNode
}

const nameOf = (row: DefinitionRow): string => row.key

/** List of all agents or all workflows. */
export function DefinitionsPage<T extends DefinitionRow>(props: Props<T>) {
  const { kind, search, query, columnsFor, filters } = props
  const actions = useDefinitionActions(kind)
  const { writeDisabledReason } = actions
  const ownColumns = useMemo(() => columnsFor(actions), [columnsFor, actions])
  const columns = useWorkspaceColumn(ownColumns, t('definition:field.workspace'))
  const texts = catalogueOf[kind]
  const openPage = useOpenPage()
  const setSearch = props.onSearch as (patch: Record<string, FilterValue>) => void
  const [isCreating, setCreating] = useCreateForm(kind)
  const [isImporting, setImporting] = useState(false)
  const selection = useSelection(JSON.stringify(search))
  useKeys(
    writeDisabledReason === null
      ? [{ keys: 'n', label: t(`${texts}:create.action`), run: () => setCreating(true) }]
      : [],
  )
  const { cursor: _cursor, sort: _sort, ...exported } = search
  const filterValues: Readonly<Record<string, unknown>> = search
  const filterNames = ['q', ...filters.map(({ name }) => name)]
  return (
    <>
      <Page isFilled>
        <ListHeader
          texts={texts}
          reply={query.data}
          addDisabledReason={writeDisabledReason}
          onCreate={() => setCreating(true)}
          onImport={() => setImporting(true)}
        >
          <DefinitionExport kind={kind} query={exported} />
        </ListHeader>
        <FilterBar
          fields={filters}
          values={filterValues}
          onChange={props.onSearch}
          searchLabel={t(`${texts}:search`)}
        >
          <ColumnChooser table={texts} columns={columns} />
        </FilterBar>
        <ResourceTable
          texts={texts}
          search={search}
          query={query}
          columns={columns}
          onSort={(sort) => setSearch({ sort })}
          table={{
            onOpen: ({ id }, isNewTab) => openPage({ to: pageOf[kind], params: { id } }, isNewTab),
            ...(writeDisabledReason === null && {
              selection: {
                state: selection,
                nameOf,
                actions: (chosen: readonly T[]) => (
                  <DefinitionBulk rows={chosen} actions={actions} onDone={selection.keep} />
                ),
              },
            }),
          }}
          empty={
            <ListEmpty
              texts={texts}
              icon={props.icon}
              filteredText={
                filterNames.some((name) => filterValues[name]) ? t('definition:empty.filtered') : null
              }
              onClear={() => setSearch(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
              addDisabledReason={writeDisabledReason}
              onCreate={() => setCreating(true)}
              onImport={() => setImporting(true)}
            />
          }
        />
      </Page>
      <DefinitionForms actions={actions} />
      <Suspense>
        {isCreating && props.create(() => setCreating(false))}
        {isImporting && (
          <DefinitionImport kind={kind} workspace={search.workspace} onClose={() => setImporting(false)} />
        )}
      </Suspense>
    </>
  )
}
