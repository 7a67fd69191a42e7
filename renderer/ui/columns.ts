import type { ReactNode } from 'react'

/** One column of a DataTable. */
export type Column<T> = {
  readonly key: string
  readonly title: string
  readonly render: (row: T) => ReactNode
  /** Numbers go right. */
  readonly align?: 'left' | 'right'
  /** In pixels, until a person chooses another. Without it the column shares what the others leave. */
  readonly width?: number
  /** The API's name for sorting by this column; absent where it does not sort. */
  readonly sortKey?: string
  /** Hidden until chosen. */
  readonly isOptional?: boolean
  /** In pixels: where the table's frame is narrower, the column is hidden until chosen. */
  readonly atLeast?: number
  /** Cannot be hidden. */
  readonly isFixed?: boolean
}
