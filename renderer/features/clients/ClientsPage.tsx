import './clients.texts.ts'
import { Button, Switch } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import { useOpenRow } from '../../lib/page/drawer.ts'
import { useKeys } from '../../lib/page/keys.ts'
import { useRowHoverOrFocus } from '../../lib/page/rowHoverOrFocus.ts'
import { useSearchState } from '../../lib/page/search.ts'
import type { ListQuery } from '../../lib/service/api.ts'
import { liveState } from '../../lib/service/live.ts'
import { usePaging } from '../../lib/service/paging.ts'
import { usePausedRows } from '../../lib/state/pausedRows.ts'
import { useSelection } from '../../lib/state/selection.ts'
import { useStore } from '../../lib/state/store.ts'
import { LazyConnectDialog } from '../../shared/connect/LazyConnect.tsx'
import { LazySavedViews } from '../../shared/views/LazySavedViews.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { FilterBar } from '../../ui/filter/FilterBar.tsx'
import { Page } from '../../ui/page/Page.tsx'
import { PageHeader } from '../../ui/page/PageHeader.tsx'
import { useRowNavigation } from '../../ui/page/rowNavigation.ts'
import { ColumnChooser } from '../../ui/table/ColumnChooser.tsx'
import { AppTable } from './apps/AppTable.tsx'
import { ClientCounts } from './ClientCounts.tsx'
import { ClientTable } from './ClientTable.tsx'
import type { ClientRow } from './clientRow.ts'
import { clientColumns } from './clients.columns.tsx'
import { clientFilters, noFilters } from './clients.filters.ts'
import styles from './clients.module.css'
import { clientsQuery, connectedCountQuery } from './clients.queries.ts'
import { type ClientsSearch, clientsSearch } from './clients.search.ts'
import { ConnectPanel } from './connect/ConnectPanel.tsx'
import { ClientDrawer } from './drawer/ClientDrawer.tsx'

const none: readonly ClientRow[] = []
const idOf = (client: ClientRow): string => client.id

const hasFilter = (search: ClientsSearch): boolean =>
  Object.keys(noFilters).some((name) => search[name as keyof typeof noFilters] !== undefined)

type RowOptions = {
  readonly isPaused: boolean
  readonly scope: string
  /** True on the first page. */
  readonly isFirst: boolean
}

/** Returns the rows to show; those of clients that have disconnected since are marked. */
function useClientRows(query: ListQuery<ClientRow>, { isPaused, scope, isFirst }: RowOptions) {
  const updates = usePausedRows<ClientRow>(query.data?.data ?? none, idOf, {
    isPaused,
    scope,
    total: query.data?.total,
    isPlaceholder: query.isPlaceholderData,
    isCompleteList: query.data?.next_cursor === null && isFirst,
  })
  const rows = updates.rows.map(
    (row): ClientRow => (updates.removedIds.has(row.id) ? { ...row, isRemoved: true } : row),
  )
  return { ...updates, rows }
}

/** The list of connected clients, updated live. */
export function ClientsPage() {
  const [search, setSearch] = useSearchState('/clients/{-$id}', clientsSearch)
  const query = useQuery(clientsQuery(search))
  const includesDisconnected = search.include === 'gone'
  const connected = useQuery({ ...connectedCountQuery(search), enabled: includesDisconnected })
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/clients')
  const [isAtTop, setAtTop] = useState(true)
  const [isConnecting, setConnecting] = useState(false)
  const { isHoveredOrFocused, handlers } = useRowHoverOrFocus()
  const { clientId: ownId } = useStore(liveState)
  const scope = JSON.stringify(search)
  const selection = useSelection(scope)
  const isPaused = !isAtTop || isHoveredOrFocused || openId !== undefined || selection.ids.size > 0
  const { rows, ...updates } = useClientRows(query, { isPaused, scope, isFirst: search.cursor === undefined })
  const navigation = useRowNavigation({
    rows,
    idOf,
    openId,
    onOpen: (client) => open(client.id),
    paging,
    page: search.cursor,
    isPlaceholder: query.isPlaceholderData,
  })
  useKeys([{ keys: 'n', label: t('clients:connect.button'), run: () => setConnecting(true) }])
  const columns = useMemo(() => clientColumns(ownId), [ownId])
  const isFiltered = hasFilter(search)
  const isGrouped = search.group === 'app'
  const hasNoApp = query.data?.total === 0 && !isFiltered && search.kind === undefined && rows.length === 0
  const total = includesDisconnected ? connected.data : query.data?.total
  return (
    <>
      <Page isFilled>
        <PageHeader
          title={t('clients:title')}
          count={total === undefined ? undefined : { total }}
          purpose={t('clients:purpose')}
          actions={
            <Button leftSection={<IconPlus size={14} />} onClick={() => setConnecting(true)}>
              {t('clients:connect.button')}
            </Button>
          }
        />
        <FilterBar
          fields={clientFilters(rows, search)}
          values={search}
          onChange={setSearch}
          searchLabel={t('clients:search')}
        >
          <Switch
            size="xs"
            label={t('clients:recent')}
            checked={includesDisconnected}
            onChange={(event) => setSearch({ include: event.currentTarget.checked ? 'gone' : undefined })}
          />
          <Switch
            size="xs"
            label={t('clients:group')}
            checked={isGrouped}
            onChange={(event) => setSearch({ group: event.currentTarget.checked ? 'app' : undefined })}
          />
          <LazySavedViews
            page="clients"
            search={search}
            onChange={setSearch}
            columns={isGrouped ? null : columns}
          />
          {!isGrouped && <ColumnChooser table="clients" columns={columns} />}
        </FilterBar>
        <ClientCounts search={search} />
        {hasNoApp && <ConnectPanel workspace={search.workspace} />}
        {isGrouped ? (
          <AppTable search={search} />
        ) : (
          <div
            // A new key replaces the loading list, so the panel that appears above it moves nothing.
            key={query.data === undefined ? 'loading' : 'found'}
            className={styles['list']}
            {...handlers}
          >
            <ClientTable
              {...{ search, setSearch, query, rows, columns, paging, openId, selection, ownId }}
              updates={updates}
              onOpen={open}
              onAtTop={setAtTop}
              empty={
                <NoClients
                  isFiltered={isFiltered}
                  includesDisconnected={includesDisconnected}
                  onClear={() => setSearch(noFilters)}
                  onConnect={() => setConnecting(true)}
                />
              }
            />
          </div>
        )}
      </Page>
      {openId !== undefined && (
        <ClientDrawer
          key="drawer"
          id={openId}
          listed={rows.find((row) => row.id === openId)}
          ownId={ownId}
          navigation={navigation}
          onClose={close}
        />
      )}
      {isConnecting && (
        <LazyConnectDialog workspace={search.workspace} onClose={() => setConnecting(false)} />
      )}
    </>
  )
}

type NoClientsProps = {
  readonly isFiltered: boolean
  readonly includesDisconnected: boolean
  readonly onClear: () => void
  readonly onConnect: () => void
}

/** The reason why the list is empty, and the next step. */
function NoClients({ isFiltered, includesDisconnected, onClear, onConnect }: NoClientsProps) {
  return (
    <EmptyState
      icon={<IconPlugConnected size={28} stroke={1.5} />}
      title={t(isFiltered ? 'clients:empty.filtered_title' : 'clients:empty.title')}
      text={
        isFiltered && t(includesDisconnected ? 'clients:empty.filtered_recent' : 'clients:empty.filtered')
      }
      action={
        <Button variant="default" onClick={isFiltered ? onClear : onConnect}>
          {t(isFiltered ? 'common:filter.clear' : 'clients:connect.button')}
        </Button>
      }
    />
  )
}
