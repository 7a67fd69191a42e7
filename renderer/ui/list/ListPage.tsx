import type { ReactNode } from 'react'
import { FilterBar } from '../filter/FilterBar.tsx'
import { Page } from '../page/Page.tsx'
import { PageHeader } from '../page/PageHeader.tsx'
import { ColumnChooser } from '../table/ColumnChooser.tsx'
import { DataTable } from '../table/DataTable.tsx'
import styles from './ListPage.module.css'
import type { ListUpdates } from './useListUpdates.ts'

type TableProps<T> = Parameters<typeof DataTable<T>>[0]

type Props<T> = Pick<TableProps<T>, 'query' | 'columns' | 'empty'> & {
  /** Name under which the choice of columns is stored. */
  readonly name: string
  readonly title: string
  readonly purpose: string
  /** Buttons of the header. */
  readonly actions?: ReactNode
  /** Shown between header and filters, such as a warning. */
  readonly notice?: ReactNode
  readonly filters: Omit<Parameters<typeof FilterBar>[0], 'children'>
  /** Shown before the column chooser, such as saved views. */
  readonly tools?: ReactNode
  readonly updates: ListUpdates<T>
  readonly table: Pick<
    TableProps<T>,
    'idOf' | 'paging' | 'sort' | 'onSort' | 'openId' | 'onOpen' | 'isDimmed' | 'selection'
  >
}

/** Page that consists of one list: header with the number of rows, filters, column chooser and table. */
export function ListPage<T>(props: Props<T>) {
  const { name, title, purpose, query, columns, updates, table, empty } = props
  return (
    <Page isFilled>
      <PageHeader
        title={title}
        count={query.data && { total: query.data.total, isCapped: query.data.total_capped === true }}
        purpose={purpose}
        actions={props.actions}
      />
      {props.notice}
      <FilterBar {...props.filters}>
        {props.tools}
        <ColumnChooser table={name} columns={columns} />
      </FilterBar>
      <div className={styles['rows']} {...updates.handlers}>
        <DataTable
          {...table}
          {...updates.table}
          name={name}
          label={title}
          query={query}
          columns={columns}
          empty={empty}
        />
      </div>
    </Page>
  )
}
