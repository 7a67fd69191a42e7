import { Button } from '@mantine/core'
import { IconPlus, IconUpload } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react'
import { resourceSorts } from '../../../../contract/versioned.ts'
import { t } from '../../../lib/i18n.ts'
import { useKeys } from '../../../lib/page/keys.ts'
import { useRowHoverOrFocus } from '../../../lib/page/rowHoverOrFocus.ts'
import type { ListQuery } from '../../../lib/service/api.ts'
import { usePaging } from '../../../lib/service/paging.ts'
import { useMe } from '../../../lib/session/me.ts'
import { useCreateForm } from '../../../lib/state/createForm.ts'
import { draftName, hasDraft } from '../../../lib/state/drafts.ts'
import { usePausedRows } from '../../../lib/state/pausedRows.ts'
import { useSelection } from '../../../lib/state/selection.ts'
import { FilterBar } from '../../../ui/filter/FilterBar.tsx'
import type { FilterField, FilterValue } from '../../../ui/filter/filters.ts'
import { Page } from '../../../ui/page/Page.tsx'
import { PageHeader } from '../../../ui/page/PageHeader.tsx'
import { ColumnChooser } from '../../../ui/table/ColumnChooser.tsx'
import type { Column } from '../../../ui/table/columns.ts'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { WhyDisabled } from '../../access/WhyDisabled.tsx'
import { catalogueOf, defaultSort, type Kind, pageOf } from '../definition.ts'
import type { DefinitionRow } from './columns.tsx'
import { DefinitionBulk } from './DefinitionBulk.tsx'
import { DefinitionEmpty } from './DefinitionEmpty.tsx'
import { DefinitionExport } from './DefinitionExport.tsx'
import { DefinitionForms } from './DefinitionForms.tsx'
import styles from './list.module.css'
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

const none: readonly never[] = []
const idOf = (row: DefinitionRow): string => row.id
const nameOf = (row: DefinitionRow): string => row.key

/** List of all agents or all workflows. */
export function DefinitionsPage<T extends DefinitionRow>(props: Props<T>) {
  const { kind, search, query, columnsFor, filters } = props
  const actions = useDefinitionActions(kind)
  const { mayNotWrite } = actions
  const columns = useMemo(() => columnsFor(actions), [columnsFor, actions])
  const texts = catalogueOf[kind]
  const navigate = useNavigate()
  const setSearch = props.onSearch as (patch: Record<string, FilterValue>) => void
  const paging = usePaging(search.cursor, query.data)
  const me = useMe()
  const [isCreating, setCreating] = useCreateForm(kind, hasDraft(draftName(kind), me.username))
  const [isImporting, setImporting] = useState(false)
  const [isAtTop, setAtTop] = useState(true)
  const { isHoveredOrFocused, handlers } = useRowHoverOrFocus()
  const scope = JSON.stringify(search)
  const selection = useSelection(scope)
  const updates = usePausedRows(query.data?.data ?? none, idOf, {
    isPaused: !isAtTop || isHoveredOrFocused || selection.ids.size > 0,
    scope,
    isPlaceholder: query.isPlaceholderData,
  })
  useKeys(
    mayNotWrite === null
      ? [{ keys: 'n', label: t(`${texts}:create.action`), run: () => setCreating(true) }]
      : [],
  )
  const { cursor: _cursor, sort: _sort, ...exported } = search
  const given: Readonly<Record<string, unknown>> = search
  const filterNames = ['q', ...filters.map(({ name }) => name)]
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t(`${texts}:title`)}
          count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
          purpose={t(`${texts}:purpose`)}
          actions={
            <>
              <WhyDisabled reason={mayNotWrite}>
                <Button
                  variant="default"
                  leftSection={<IconUpload size={14} />}
                  onClick={() => setImporting(true)}
                >
                  {t('transfer:import.button')}
                </Button>
              </WhyDisabled>
              <DefinitionExport kind={kind} query={exported} />
              <WhyDisabled reason={mayNotWrite}>
                <Button leftSection={<IconPlus size={14} />} onClick={() => setCreating(true)}>
                  {t(`${texts}:create.action`)}
                </Button>
              </WhyDisabled>
            </>
          }
        />
        <FilterBar
          fields={filters}
          values={given}
          onChange={props.onSearch}
          searchLabel={t(`${texts}:search`)}
        >
          <ColumnChooser table={texts} columns={columns} />
        </FilterBar>
        <div className={styles['fill']} {...handlers}>
          <DataTable
            name={texts}
            label={t(`${texts}:title`)}
            query={query}
            rows={updates.rows}
            columns={columns}
            idOf={idOf}
            paging={paging}
            sort={search.sort ?? defaultSort}
            onSort={(sort) => setSearch({ sort: resourceSorts.find((one) => one === sort) })}
            onOpen={(row) => void navigate({ to: pageOf[kind], params: { id: row.id } })}
            waiting={{
              count: updates.newCount,
              label: t(`${texts}:waiting`, { count: updates.newCount }),
              onShow: updates.showNew,
            }}
            onAtTop={setAtTop}
            {...(mayNotWrite === null && {
              selection: {
                state: selection,
                nameOf,
                actions: (chosen: readonly T[]) => (
                  <DefinitionBulk rows={chosen} actions={actions} onDone={selection.clear} />
                ),
              },
            })}
            empty={
              <DefinitionEmpty
                icon={props.icon}
                isFiltered={filterNames.some((name) => given[name])}
                onClear={() => setSearch(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
                title={t(`${texts}:empty.title`)}
                text={t(`${texts}:empty.text`)}
                filtered={t(`${texts}:empty.filtered`)}
                whyNotAdd={mayNotWrite}
                add={t(`${texts}:create.action`)}
                onAdd={() => setCreating(true)}
                onImport={() => setImporting(true)}
              />
            }
          />
        </div>
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
