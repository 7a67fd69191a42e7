import { shallowEqual } from '@mantine/hooks'
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import type { ListQuery } from '../../lib/service/api.ts'
import type { Paging } from '../../lib/service/paging.ts'
import { defaultColumnWidth, useColumnChoice, useDensity } from '../../lib/state/columns.ts'
import type { Selection } from '../../lib/state/selection.ts'
import { BulkBar } from '../bulk/BulkBar.tsx'
import { HintContext } from '../display/Hint.tsx'
import { ErrorState } from '../feedback/ErrorState.tsx'
import type { Column } from './columns.ts'
import styles from './DataTable.module.css'
import { NewRows, type PendingRows } from './NewRows.tsx'
import { Pager } from './Pager.tsx'
import { CheckAll, TableHead } from './TableHead.tsx'
import { TableHints } from './TableHints.tsx'
import { SkeletonRows, TableRow } from './TableRow.tsx'
import { useMountedRowCount } from './useMountedRowCount.ts'
import { useFrameWidth, useOverflowColumns } from './useOverflowColumns.ts'
import { useRowKeys } from './useRowKeys.ts'

type Props<T> = {
  /** Name under which the user's choice of columns is stored. */
  readonly name: string
  /** Accessible name of the table: "Users". */
  readonly label: string
  readonly query: ListQuery<T>
  /** Rows to show, if they differ from those of the query (see `usePausedRows`). */
  readonly rows?: readonly T[]
  /** Keep the same array between renderings: all rows render again when it changes. */
  readonly columns: readonly Column<T>[]
  readonly idOf: (row: T) => string
  readonly paging: Paging
  /** The active order: `created_at`, `-created_at`. */
  readonly sort?: string | undefined
  readonly onSort?: (sort: string) => void
  /** Id of the row whose drawer is open. */
  readonly openId?: string | undefined
  /** Opens a row; in a new tab after a click with Ctrl or the middle button. */
  readonly onOpen?: (row: T, isNewTab: boolean) => void
  /** Shown if there are no rows: the reason and the next step. */
  readonly empty: NonNullable<ReactNode>
  /** New rows that are not shown yet. A click shows them. */
  readonly pendingRows?: PendingRows
  /** Called when the list reaches or leaves its top. */
  readonly onAtTop?: (isAtTop: boolean) => void
  /** True for rows shown in grey, such as disabled ones. */
  readonly isDimmed?: (row: T) => boolean
  /** Makes rows selectable. */
  readonly selection?: {
    readonly state: Selection
    /**
     * Returns the row's name for the accessible name of its checkbox. Keep the same function between
     * renderings: all rows render again when it changes.
     */
    readonly nameOf: (row: T) => string
    /** Actions for the selected rows, which are in the order of the list. */
    readonly actions: (rows: readonly T[]) => ReactNode
  }
}

const none: readonly never[] = []
const checkWidth = 36

/**
 * Returns what the table shows: rows and pager text change together, because the address names the next page
 * before its rows are loaded.
 */
function usePage<T>({ query, rows, paging }: Props<T>) {
  const newest = {
    rows: rows ?? query.data?.data ?? none,
    isLoading: query.data === undefined && query.error === null,
    from: paging.from,
    total: query.data?.total,
    isCapped: query.data?.total_capped === true,
  }
  const [page, setPage] = useState<typeof newest>(newest)
  if (!query.isPlaceholderData && !shallowEqual(page, newest)) setPage(newest)
  // Deferred, so that a page of new rows renders in slices and the browser can respond in between.
  return useDeferredValue(page)
}

function useShownColumns<T>(
  columns: readonly Column<T>[],
  choice: ReturnType<typeof useColumnChoice>,
  overflowColumns: ReadonlySet<string>,
): readonly Column<T>[] {
  return useMemo(
    () =>
      columns.filter(
        ({ key, isOptional = false }) => !choice.isHidden(key, isOptional || overflowColumns.has(key)),
      ),
    [columns, choice, overflowColumns],
  )
}

function openRow<T>(row: T | undefined, isNewTab: boolean, onOpen: NonNullable<Props<T>['onOpen']>): void {
  if (row !== undefined) onOpen(row, isNewTab)
}

/** Table of one page of a list, with sorting, selection, keyboard control, resizable columns and a pager. */
export function DataTable<T>(props: Props<T>) {
  const { name, query, columns, idOf, sort, onSort, openId, onOpen, isDimmed, paging, selection } = props
  const choice = useColumnChoice(name)
  const [density] = useDensity()
  const root = useRef<HTMLDivElement>(null)
  useFrameWidth(name, root)
  const overflowColumns = useOverflowColumns(name, columns)
  const isAtTop = useRef(true)
  const { rows, isLoading, from, total, isCapped } = usePage(props)
  const ids = useMemo(() => rows.map(idOf), [rows, idOf])
  const mounted = useMountedRowCount(ids)
  const { events, tabStop } = useRowKeys({
    root,
    ids,
    openId,
    onOpen: onOpen && ((id, isNewTab) => openRow(rows[ids.indexOf(id)], isNewTab, onOpen)),
    selection: selection?.state,
  })
  const shown = useShownColumns(columns, choice, overflowColumns)
  const isSized = Object.keys(choice.widths).length > 0
  const widthOf = ({ key, width }: Column<T>): number => choice.widths[key] ?? width ?? defaultColumnWidth
  const tableWidth = shown.reduce((sum, column) => sum + widthOf(column), selection ? checkWidth : 0)
  const chosen = selection === undefined ? [] : rows.filter((row) => selection.state.ids.has(idOf(row)))

  return (
    <div className={styles['frame']} data-density={density} ref={root}>
      <NewRows pendingRows={props.pendingRows} isBesideDrawer={openId !== undefined} />
      <div
        className={styles['scroll']}
        data-covered={chosen.length > 0 || undefined}
        onScroll={({ currentTarget: { scrollTop } }) => {
          if (scrollTop < 8 === isAtTop.current) return
          isAtTop.current = scrollTop < 8
          props.onAtTop?.(isAtTop.current)
        }}
      >
        <table
          className={styles['table']}
          aria-label={props.label}
          aria-busy={isLoading || mounted < ids.length}
          data-sized={isSized || undefined}
          style={isSized ? { minWidth: tableWidth } : undefined}
        >
          {isSized && (
            <Widths
              columns={shown.map((column) => ({ key: column.key, width: widthOf(column) }))}
              hasCheck={selection !== undefined}
            />
          )}
          <TableHead
            columns={shown}
            choice={choice}
            isSized={isSized}
            sort={sort}
            onSort={onSort}
            check={
              selection && (
                <CheckAll
                  chosen={chosen.length}
                  listed={rows.length}
                  onChange={() => selection.state.toggleAll(ids)}
                />
              )
            }
          />
          <HintContext value="row">
            <tbody>
              {isLoading ? (
                <SkeletonRows columns={shown} hasCheck={selection !== undefined} />
              ) : (
                rows.slice(0, mounted).map((row, index) => {
                  const id = ids[index] ?? ''
                  return (
                    <TableRow
                      key={id}
                      id={id}
                      row={row}
                      columns={shown}
                      isSized={isSized}
                      isOpen={id === openId}
                      isDimmed={isDimmed?.(row) === true}
                      isChosen={selection === undefined ? null : selection.state.ids.has(id)}
                      nameOf={selection?.nameOf ?? idOf}
                      canOpen={onOpen !== undefined}
                      isTabStop={id === tabStop}
                      events={events}
                    />
                  )
                })
              )}
            </tbody>
          </HintContext>
        </table>
        {!isLoading && rows.length === 0 && <NoRows query={query} empty={props.empty} />}
      </div>
      {selection !== undefined && chosen.length > 0 && (
        <BulkBar count={chosen.length} onClear={selection.state.clear}>
          {selection.actions(chosen)}
        </BulkBar>
      )}
      <TableHints root={root} />
      <Pager
        paging={paging}
        from={from}
        shown={isLoading ? null : rows.length}
        total={total}
        isCapped={isCapped}
        isStale={query.data !== undefined && query.error !== null}
        isByTime={sort === undefined || /^-.*_at$/.test(sort)}
        label={t('common:table.pages', { name: props.label })}
      />
    </div>
  )
}

type WidthsProps = {
  readonly columns: readonly { readonly key: string; readonly width: number }[]
  readonly hasCheck: boolean
}

function Widths({ columns, hasCheck }: WidthsProps) {
  return (
    <colgroup>
      {hasCheck && <col style={{ width: checkWidth }} />}
      {columns.map(({ key, width }) => (
        <col key={key} style={{ width }} />
      ))}
      {/* Takes the remaining width, so that every other column has exactly its chosen width. */}
      <col />
    </colgroup>
  )
}

/** The failure of a list that could not be loaded, or the reason why it is empty. */
function NoRows<T>({ query, empty }: Pick<Props<T>, 'query' | 'empty'>) {
  const isFailed = query.data === undefined && query.error !== null
  return (
    <div className={styles['empty']}>
      {isFailed ? <ErrorState error={query.error} onRetry={() => void query.refetch()} /> : empty}
    </div>
  )
}
