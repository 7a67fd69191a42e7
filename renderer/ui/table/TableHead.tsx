import { type ReactNode, useEffect, useRef } from 'react'
import { t } from '../../lib/i18n.ts'
import type { useColumnChoice } from '../../lib/state/columns.ts'
import { ColumnHandle } from './ColumnHandle.tsx'
import type { Column } from './columns.ts'
import styles from './DataTable.module.css'
import { SortTitle } from './SortTitle.tsx'
import { cellOf } from './TableRow.tsx'

type Props<T> = {
  readonly columns: readonly Column<T>[]
  readonly choice: ReturnType<typeof useColumnChoice>
  readonly isSized: boolean
  readonly sort: string | undefined
  readonly onSort: ((sort: string) => void) | undefined
  /** Checkbox for all rows; omitted if rows cannot be selected. */
  readonly check?: ReactNode
}

export function TableHead<T>({ columns, choice, isSized, sort, onSort, check }: Props<T>) {
  return (
    <thead className={styles['head']}>
      <tr>
        {check !== undefined && <th className={styles['check']}>{check}</th>}
        {columns.map((column) => (
          <th key={column.key} scope="col" data-col={column.key} {...cellOf(column, isSized)}>
            {column.sortKey === undefined || onSort === undefined ? (
              <span className={styles['title']}>{column.title}</span>
            ) : (
              <SortTitle
                title={column.title}
                sortKey={column.sortKey}
                sort={sort}
                isHighestFirst={column.isHighestFirst === true}
                onSort={onSort}
              />
            )}
            <ColumnHandle column={column} choice={choice} />
          </th>
        ))}
        {isSized && <td aria-hidden />}
      </tr>
    </thead>
  )
}

type CheckAllProps = {
  readonly chosen: number
  readonly listed: number
  readonly onChange: () => void
}

/** Checkbox that selects every row of the page, or none. */
export function CheckAll({ chosen, listed, onChange }: CheckAllProps) {
  const input = useRef<HTMLInputElement>(null)
  const isSome = chosen > 0 && chosen < listed
  useEffect(() => {
    if (input.current !== null) input.current.indeterminate = isSome
  }, [isSome])
  return (
    <label>
      <input
        ref={input}
        type="checkbox"
        aria-label={t('common:select.page')}
        disabled={listed === 0}
        checked={listed > 0 && chosen === listed}
        onChange={onChange}
      />
    </label>
  )
}
