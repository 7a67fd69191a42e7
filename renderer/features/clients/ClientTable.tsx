import { lazy, type ReactNode, Suspense } from 'react'
import { t } from '../../lib/i18n.ts'
import type { SetSearch } from '../../lib/page/search.ts'
import type { ListQuery } from '../../lib/service/api.ts'
import type { Paging } from '../../lib/service/paging.ts'
import type { Selection } from '../../lib/state/selection.ts'
import type { Column } from '../../ui/table/columns.ts'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { type ClientRow, isDisconnected } from './clientRow.ts'
import { defaultSort } from './clients.queries.ts'
import { type ClientsSearch, clientsSearch } from './clients.search.ts'

const ClientBulk = lazy(() => import('./ClientBulk.tsx').then((module) => ({ default: module.ClientBulk })))

const idOf = (client: ClientRow): string => client.id
const nameOf = (client: ClientRow): string => client.app

type Props = {
  readonly search: ClientsSearch
  readonly setSearch: SetSearch<ClientsSearch>
  readonly query: ListQuery<ClientRow>
  readonly rows: readonly ClientRow[]
  readonly columns: readonly Column<ClientRow>[]
  readonly paging: Paging
  readonly openId: string | undefined
  readonly onOpen: (id: string, isNewTab: boolean) => void
  readonly onAtTop: (isAtTop: boolean) => void
  readonly selection: Selection
  /** The id of this console's own connection. */
  readonly ownId: string | null
  /** New rows that wait while updates are paused. */
  readonly updates: {
    readonly newCount: number
    readonly newCountText: string
    readonly showNew: () => void
  }
  readonly empty: NonNullable<ReactNode>
}

/** The table of clients, with their bulk actions. */
export function ClientTable(props: Props) {
  const { search, setSearch, selection, ownId, updates, onOpen } = props
  return (
    <DataTable
      name="clients"
      label={t('clients:title')}
      query={props.query}
      rows={props.rows}
      columns={props.columns}
      idOf={idOf}
      paging={props.paging}
      sort={search.sort ?? defaultSort}
      onSort={(sort) => setSearch(clientsSearch.pick({ sort: true }).parse({ sort }))}
      openId={props.openId}
      onOpen={(client, isNewTab) => onOpen(client.id, isNewTab)}
      isDimmed={isDisconnected}
      pendingRows={{
        count: updates.newCount,
        label: t('clients:waiting', { count: updates.newCount, shown: updates.newCountText }),
        onShow: updates.showNew,
      }}
      onAtTop={props.onAtTop}
      selection={{
        state: selection,
        nameOf,
        actions: (chosen) => (
          <Suspense>
            <ClientBulk clients={chosen} ownId={ownId} onDone={selection.keep} />
          </Suspense>
        ),
      }}
      empty={props.empty}
    />
  )
}
