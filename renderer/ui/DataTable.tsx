import { Skeleton } from '@mantine/core'
import { type DataTableRowClickHandler, DataTable as MantineDataTable } from 'mantine-datatable'
import { type ReactNode, useRef } from 'react'
import type { ListQuery } from '../lib/api.ts'
import { useColumnChoice, useDensity } from '../lib/columns.ts'
import { t } from '../lib/i18n.ts'
import type { Paging } from '../lib/paging.ts'
import type { Column } from './columns.ts'
import styles from './DataTable.module.css'
import { ErrorState } from './ErrorState.tsx'
import { NewRows, type Waiting } from './NewRows.tsx'
import { Pager } from './Pager.tsx'
import { SortTitle } from './SortTitle.tsx'
import { useRowKeys } from './useRowKeys.ts'

type Props<T> = {
  /** Under this name the chosen columns are remembered. */
  readonly name: string
  /** What the rows are, for a screen reader: "Users". */
  readonly label: string
  readonly query: ListQuery<T>
  /** What is shown of the query, when it is not simply all of its rows (see useCalmRows). */
  readonly rows?: readonly T[]
  readonly columns: readonly Column<T>[]
  readonly idOf: (row: T) => string
  readonly paging: Paging
  /** The sort in force: `created_at`, `-created_at`. */
  readonly sort?: string | undefined
  readonly onSort?: (sort: string) => void
  /** The row whose drawer is open. */
  readonly openId?: string | undefined
  readonly onOpen?: (row: T) => void
  /** Shown when there is nothing; say why and what to do. */
  readonly empty: NonNullable<ReactNode>
  /** Newer rows that wait; a click shows them. */
  readonly waiting?: Waiting
  /** Whether the list is scrolled to its top, told as it changes. */
  readonly onAtTop?: (isAtTop: boolean) => void
  /** Greys a row out: disabled, gone. */
  readonly isDimmed?: (row: T) => boolean
}

/** What mantine-datatable is given: a row, or the place of one that is loading. */
type Line<T> = { readonly id: string; readonly row: T | null }

const skeletonRows = 12

export function DataTable<T>(props: Props<T>) {
  const { name, query, columns, idOf, sort, onSort, openId, onOpen, isDimmed, paging } = props
  const choice = useColumnChoice(name)
  const [density] = useDensity()
  const root = useRef<HTMLDivElement>(null)
  const rows = props.rows ?? query.data?.data ?? []
  const isLoading = query.data === undefined && query.error === null
  const isFailed = query.data === undefined && query.error !== null
  const keys = useRowKeys({ root, rows, idOf, openId, onOpen })
  const lines: Line<T>[] = isLoading
    ? Array.from({ length: skeletonRows }, (_, index) => ({ id: `loading-${index}`, row: null }))
    : rows.map((row) => ({ id: idOf(row), row }))
  const shown = columns.filter((column) => !choice.isHidden(column.key, column.isOptional === true))
  const opening: { onRowClick?: DataTableRowClickHandler<Line<T>> } =
    onOpen === undefined
      ? {}
      : {
          onRowClick: ({ record, event }) => {
            const isControl =
              (event.target as HTMLElement).closest('a, button, input, [role="button"]') !== null
            const isSelecting = (window.getSelection()?.toString() ?? '') !== ''
            if (record.row !== null && !isControl && !isSelecting) onOpen(record.row)
          },
        }

  return (
    <div className={styles['frame']} data-density={density} ref={root}>
      <NewRows waiting={props.waiting} />
      <MantineDataTable<Line<T>>
        className={styles['table'] ?? ''}
        classNames={{ header: styles['header'] ?? '' }}
        height="100%"
        withTableBorder
        borderRadius="sm"
        minHeight={isLoading || lines.length > 0 ? 0 : 260}
        idAccessor="id"
        records={lines}
        aria-label={props.label}
        aria-busy={isLoading}
        highlightOnHover={onOpen !== undefined && !isLoading}
        horizontalSpacing={12}
        verticalSpacing={0}
        fz={13}
        columns={shown.map((column) => ({
          accessor: column.key,
          title:
            column.sortKey === undefined || onSort === undefined ? (
              column.title
            ) : (
              <SortTitle title={column.title} sortKey={column.sortKey} sort={sort} onSort={onSort} />
            ),
          textAlign: column.align ?? 'left',
          noWrap: true,
          ...(column.width === undefined ? {} : { width: column.width }),
          render: ({ row }) =>
            row === null ? <Skeleton height={10} width="70%" radius="sm" /> : column.render(row),
        }))}
        customRowAttributes={({ id, row }) => ({
          'data-row-id': id,
          'data-open': id === openId || undefined,
          'data-dimmed': (row !== null && isDimmed?.(row)) || undefined,
          tabIndex: row !== null && onOpen !== undefined ? 0 : undefined,
          'aria-selected': onOpen === undefined || row === null ? undefined : id === openId,
          onKeyDown: keys.onRowKeyDown,
        })}
        {...opening}
        onScroll={({ y }) => props.onAtTop?.(y < 8)}
        // It lies over the rows even while it is not shown, and would take their clicks.
        emptyState={
          lines.length > 0 ? (
            <span />
          ) : isFailed ? (
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          ) : (
            props.empty
          )
        }
      />
      <Pager
        paging={paging}
        shown={isLoading ? null : rows.length}
        total={query.data?.total}
        isCapped={query.data?.total_capped === true}
        isStale={query.data !== undefined && query.error !== null}
        isByTime={sort === undefined || /^-.*_at$/.test(sort)}
        label={t('common:table.pages', { name: props.label })}
      />
    </div>
  )
}
