import { Button, Switch } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { everyNamespace } from '../../../contract/live.ts'
import { useOpenRow } from '../../lib/drawer.ts'
import { t } from '../../lib/i18n.ts'
import { useKeys } from '../../lib/keys.ts'
import { liveState } from '../../lib/live.ts'
import { usePaging } from '../../lib/paging.ts'
import { useReading } from '../../lib/reading.ts'
import { useSearchState } from '../../lib/search.ts'
import { useStore } from '../../lib/store.ts'
import { ColumnChooser } from '../../ui/ColumnChooser.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FilterBar } from '../../ui/FilterBar.tsx'
import { Page } from '../../ui/Page.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { walkOf } from '../../ui/walk.ts'
import { ClientDrawer } from './ClientDrawer.tsx'
import { ConnectModal, ConnectPanel } from './ConnectPanel.tsx'
import { clientColumns } from './clients.columns.tsx'
import { clientFilters, noFilters } from './clients.filters.ts'
import styles from './clients.module.css'
import { clientsQuery, connectedCountQuery, defaultSort } from './clients.queries.ts'
import { clientsSearch } from './clients.search.ts'
import { type ClientRow, isGone, useHeldClients } from './held.ts'

const none: readonly ClientRow[] = []
const idOf = (client: ClientRow): string => client.id

/** Who listens, as they come and go. */
export function ClientsPage() {
  const [search, setSearch] = useSearchState(clientsSearch)
  const query = useQuery(clientsQuery(search))
  const withGone = search.include === 'gone'
  const connected = useQuery({ ...connectedCountQuery(search), enabled: withGone })
  const paging = usePaging(search.cursor, query.data)
  const { openId, open, close } = useOpenRow('/clients')
  const [isAtTop, setAtTop] = useState(true)
  const [isConnecting, setConnecting] = useState(false)
  const { isReading, watch } = useReading()
  const { clientId: ownId } = useStore(liveState)
  const held = useHeldClients(query.data?.data ?? none, {
    isHeld: !isAtTop || isReading || openId !== undefined,
    scope: JSON.stringify(search),
    isPlaceholder: query.isPlaceholderData,
    isWhole: query.data?.next_cursor === null && search.cursor === undefined,
  })
  useKeys([{ keys: 'n', label: t('clients:connect.button'), run: () => setConnecting(true) }])
  const columns = clientColumns(ownId)
  const isFiltered = Object.keys(noFilters).some(
    (name) => search[name as keyof typeof noFilters] !== undefined,
  )
  const hasNoApp =
    query.data !== undefined && !isFiltered && held.rows.every((row) => row.namespace === everyNamespace)
  const total = withGone ? connected.data : query.data?.total
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
        {hasNoApp && <ConnectPanel workspace={search.workspace} />}
        <FilterBar
          fields={clientFilters(held.rows, search)}
          values={search}
          onChange={setSearch}
          searchLabel={t('clients:search')}
        >
          <Switch
            size="xs"
            label={t('clients:gone')}
            checked={withGone}
            onChange={(event) => setSearch({ include: event.currentTarget.checked ? 'gone' : undefined })}
          />
          <ColumnChooser table="clients" columns={columns} />
        </FilterBar>
        <div className={styles['list']} {...watch}>
          <DataTable
            name="clients"
            label={t('clients:title')}
            query={query}
            rows={held.rows}
            columns={columns}
            idOf={idOf}
            paging={paging}
            sort={search.sort ?? defaultSort}
            onSort={(sort) => setSearch(clientsSearch.pick({ sort: true }).parse({ sort }))}
            openId={openId}
            onOpen={(client) => open(client.id)}
            isDimmed={isGone}
            waiting={{
              count: held.waiting,
              label: t('clients:waiting', { count: held.waiting }),
              onShow: held.release,
            }}
            onAtTop={setAtTop}
            empty={
              <EmptyState
                icon={<IconPlugConnected size={28} stroke={1.5} />}
                title={t(isFiltered ? 'clients:empty.filtered_title' : 'clients:empty.title')}
                text={isFiltered && t(withGone ? 'clients:empty.filtered_gone' : 'clients:empty.filtered')}
                action={
                  isFiltered ? (
                    <Button variant="default" onClick={() => setSearch(noFilters)}>
                      {t('common:filter.clear')}
                    </Button>
                  ) : (
                    <Button variant="default" onClick={() => setConnecting(true)}>
                      {t('clients:connect.button')}
                    </Button>
                  )
                }
              />
            }
          />
        </div>
      </Page>
      {openId !== undefined && (
        <ClientDrawer
          key="drawer"
          id={openId}
          listed={held.rows.find((row) => row.id === openId)}
          ownId={ownId}
          walk={walkOf(held.rows, idOf, openId, (client) => open(client.id))}
          onClose={close}
        />
      )}
      {isConnecting && <ConnectModal workspace={search.workspace} onClose={() => setConnecting(false)} />}
    </>
  )
}
