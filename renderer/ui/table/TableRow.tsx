import { Skeleton } from '@mantine/core'
import { type ChangeEvent, type KeyboardEvent, type MouseEvent, memo, type ReactElement } from 'react'
import { t } from '../../lib/i18n.ts'
import { opensNewTab } from '../../lib/page/openPage.ts'
import type { Column } from './columns.ts'
import styles from './DataTable.module.css'

/** Handlers of a row. They are the same for every row and rendering, so that only changed rows render. */
export type RowEvents = {
  readonly onOpen: (id: string, isNewTab: boolean) => void
  readonly onChoose: (id: string, isRange: boolean) => void
  readonly onKey: (event: KeyboardEvent<HTMLElement>, id: string) => void
  readonly onFocus: (id: string) => void
}

type Props<T> = {
  readonly id: string
  readonly row: T
  readonly columns: readonly Column<T>[]
  /** True if widths were chosen: cells then take the width of their column. */
  readonly isSized: boolean
  readonly isOpen: boolean
  readonly isDimmed: boolean
  /** Null if rows cannot be selected. */
  readonly isChosen: boolean | null
  /** Returns the row's name for its checkbox. */
  readonly nameOf: (row: T) => string
  readonly canOpen: boolean
  /** True for the one row that Tab reaches. The arrow keys reach the others. */
  readonly isTabStop: boolean
  readonly events: RowEvents
}

const isControl = (event: MouseEvent): boolean =>
  event.target instanceof Element && event.target.closest('a, button, input, label, [role="button"]') !== null
const isSelectingText = (): boolean => (window.getSelection()?.toString() ?? '') !== ''

function Row<T>(props: Props<T>) {
  const { id, row, columns, isSized, isOpen, isDimmed, isChosen, nameOf, canOpen, isTabStop, events } = props
  const choose = (event: ChangeEvent<HTMLInputElement>): void => {
    const { nativeEvent } = event
    events.onChoose(id, nativeEvent instanceof PointerEvent && nativeEvent.shiftKey)
  }
  return (
    <tr
      data-row-id={id}
      data-open={isOpen || undefined}
      data-chosen={isChosen === true || undefined}
      data-dimmed={isDimmed || undefined}
      tabIndex={canOpen ? (isTabStop ? 0 : -1) : undefined}
      aria-selected={isChosen ?? (canOpen ? isOpen : undefined)}
      aria-current={isOpen || undefined}
      onClick={(event) => {
        if (canOpen && !isControl(event) && !isSelectingText()) events.onOpen(id, opensNewTab(event))
      }}
      onMouseDown={(event) => {
        // The middle button would scroll.
        if (canOpen && event.button === 1 && !isControl(event)) event.preventDefault()
      }}
      onAuxClick={(event) => {
        if (canOpen && event.button === 1 && !isControl(event)) events.onOpen(id, true)
      }}
      onFocus={() => events.onFocus(id)}
      onKeyDown={(event) => events.onKey(event, id)}
    >
      {isChosen !== null && (
        // Shift and click selects a range, and would also select its text.
        <td className={styles['check']} onMouseDown={(event) => event.shiftKey && event.preventDefault()}>
          <label>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={t('common:select.row', { name: nameOf(row) })}
              checked={isChosen}
              onChange={choose}
            />
          </label>
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} data-col={column.key} {...cellOf(column, isSized)}>
          {column.render(row)}
        </td>
      ))}
      {isSized && <td />}
    </tr>
  )
}

/** Renders again only if its row or its state changes. */
export const TableRow = memo(Row) as <T>(props: Props<T>) => ReactElement

/** Numbers are never cut: a large one widens its column. */
const widthStyle = ({ align, width }: Pick<Column<never>, 'align' | 'width'>) => ({
  width,
  minWidth: width,
  ...(align !== 'right' && { maxWidth: width }),
})

/**
 * Returns a cell's alignment and width. The default width of the column is set on the cell; widths that the
 * user has chosen (`isSized`) are set on the table's columns.
 */
export const cellOf = (column: Pick<Column<never>, 'align' | 'width'>, isSized: boolean) => ({
  ...(column.align === 'right' && { 'data-align': 'right' }),
  ...(!isSized && column.width !== undefined && { style: widthStyle(column) }),
})

type SkeletonRowProps = { readonly columns: readonly Column<never>[]; readonly hasCheck: boolean }

/** Placeholder of a row that is loading, with the same height. */
function SkeletonRow({ columns, hasCheck }: SkeletonRowProps) {
  return (
    <tr>
      {hasCheck && <td className={styles['check']} />}
      {columns.map((column) => (
        <td key={column.key} {...cellOf(column, false)}>
          <Skeleton height={10} width="70%" radius="sm" />
        </td>
      ))}
    </tr>
  )
}

const skeletonCount = 12

type SkeletonRowsProps<T> = { readonly columns: readonly Column<T>[]; readonly hasCheck: boolean }

export function SkeletonRows<T>({ columns, hasCheck }: SkeletonRowsProps<T>) {
  return Array.from({ length: skeletonCount }, (_, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no id
    <SkeletonRow key={index} columns={columns} hasCheck={hasCheck} />
  ))
}
