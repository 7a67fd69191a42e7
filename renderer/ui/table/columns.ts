import type { ReactNode } from 'react'

/** One column of a `DataTable`. */
export type Column<T> = {
  readonly key: string
  readonly title: string
  readonly render: (row: T) => ReactNode
  /** Align numbers to the right. */
  readonly align?: 'left' | 'right'
  /** In pixels, until the user chooses another. Without it the column shares the remaining width. */
  readonly width?: number
  /** The API's name for sorting by this column; omitted if it cannot be sorted. */
  readonly sortKey?: string
  /** True if the first click sorts from the highest to the lowest value. */
  readonly isHighestFirst?: boolean
  /** Hidden until the user selects it. */
  readonly isOptional?: boolean
  /** In pixels. In a narrower table frame the column is hidden until the user selects it. */
  readonly minFrameWidth?: number
  /** True if the column cannot be hidden. */
  readonly isFixed?: boolean
}
