import { type ReactNode, useState } from 'react'
import { resourceSorts } from '../../../../contract/resources/versioned.ts'
import { t } from '../../../lib/i18n.ts'
import { useRowHoverOrFocus } from '../../../lib/page/rowHoverOrFocus.ts'
import type { ListQuery } from '../../../lib/service/api.ts'
import { usePaging } from '../../../lib/service/paging.ts'
import { usePausedRows } from '../../../lib/state/pausedRows.ts'
import type { Column } from '../../../ui/table/columns.ts'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import type { ListTexts } from '../texts.ts'
import styles from './list.module.css'
import { defaultSort } from './search.ts'

type Row = { readonly id: string }
type Search = { readonly cursor?: string | undefined; readonly sort?: string | undefined }
type Sort = (typeof resourceSorts)[number]
type TableProps<T> = Parameters<typeof DataTable<T>>[0]

type Props<T extends Row> = {
  readonly texts: ListTexts
  /** Name under which the choice of columns is stored; by default that of the texts. */
  readonly name?: string
  /** All search parameters of the page. Another value is another list. */
  readonly search: Search
  readonly query: ListQuery<T>
  readonly columns: readonly Column<T>[]
  readonly onSort: (sort: Sort | undefined) => void
  readonly empty: NonNullable<ReactNode>
  /** Further props of the table. Selected rows pause its updates. */
  readonly table: Pick<TableProps<T>, 'onOpen' | 'isDimmed' | 'selection'>
}

const none: readonly never[] = []
const idOf = (row: Row): string => row.id

/** Table of prompts, agents or workflows. Its updates are paused while it is in use. */
export function ResourceTable<T extends Row>(props: Props<T>) {
  const { texts, search, query, columns, onSort, empty, table } = props
  const paging = usePaging(search.cursor, query.data)
  const [isAtTop, setAtTop] = useState(true)
  const { isHoveredOrFocused, handlers } = useRowHoverOrFocus()
  const hasSelected = (table.selection?.state.ids.size ?? 0) > 0
  const updates = usePausedRows(query.data?.data ?? none, idOf, {
    isPaused: !isAtTop || isHoveredOrFocused || hasSelected,
    scope: JSON.stringify(search),
    isPlaceholder: query.isPlaceholderData,
  })
  return (
    <div className={styles['fill']} {...handlers}>
      <DataTable
        {...table}
        name={props.name ?? texts}
        label={t(`${texts}:title`)}
        query={query}
        rows={updates.rows}
        columns={columns}
        idOf={idOf}
        paging={paging}
        sort={search.sort ?? defaultSort}
        onSort={(sort) => onSort(resourceSorts.find((name) => name === sort))}
        pendingRows={{
          count: updates.newCount,
          label: t(`${texts}:waiting`, { count: updates.newCount }),
          onShow: updates.showNew,
        }}
        onAtTop={setAtTop}
        empty={empty}
      />
    </div>
  )
}
