import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react'
import { t } from '../../lib/i18n.ts'
import {
  clampColumnWidth,
  defaultColumnWidth,
  maxColumnWidth,
  minColumnWidth,
  type useColumnChoice,
} from '../../lib/state/columns.ts'
import type { Column } from './columns.ts'
import styles from './DataTable.module.css'

type Props = {
  readonly column: Pick<Column<never>, 'key' | 'title' | 'width'>
  readonly choice: ReturnType<typeof useColumnChoice>
}

/** Pixels per arrow key press; `largeStep` applies with Shift. */
const step = 8
const largeStep = 40

/**
 * Returns the current width of every column. All are stored at once, so that resizing one does not change the
 * others.
 */
function measure(handle: HTMLElement): Record<string, number> {
  const cells = handle.closest('tr')?.querySelectorAll<HTMLElement>('th[data-col]') ?? []
  return Object.fromEntries(
    [...cells].map((cell) => [
      cell.dataset['col'] ?? '',
      clampColumnWidth(cell.getBoundingClientRect().width),
    ]),
  )
}

/**
 * Handle at the right edge of a column title. Drag it or use the arrow keys; a double click or Backspace
 * resets the width.
 */
export function ColumnHandle({ column, choice }: Props) {
  const { key, title } = column
  const start = useRef<{ readonly x: number; readonly widths: Record<string, number> } | null>(null)
  const [currentWidth, setCurrentWidth] = useState(column.width ?? defaultColumnWidth)
  const set = (widths: Record<string, number>, width: number): void => {
    const next = clampColumnWidth(width)
    setCurrentWidth(next)
    choice.resize({ ...widths, [key]: next })
  }
  const reset = (handle: HTMLElement): void => set(measure(handle), column.width ?? defaultColumnWidth)

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (direction !== 0) {
      const widths = measure(event.currentTarget)
      set(widths, (widths[key] ?? currentWidth) + direction * (event.shiftKey ? largeStep : step))
    } else if (event.key === 'Backspace') reset(event.currentTarget)
    else return
    event.preventDefault()
  }
  const onPointerDown = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return
    event.preventDefault()
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, widths: measure(event.currentTarget) }
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>): void => {
    const from = start.current
    if (from === null || event.clientX === from.x) return
    set(from.widths, (from.widths[key] ?? currentWidth) + event.clientX - from.x)
  }
  const end = (): void => {
    start.current = null
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> cannot be a movable separator
    <span
      className={styles['handle']}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('common:table.width', { title })}
      aria-valuenow={choice.widths[key] ?? currentWidth}
      aria-valuemin={minColumnWidth}
      aria-valuemax={maxColumnWidth}
      onFocus={(event) => setCurrentWidth(measure(event.currentTarget)[key] ?? currentWidth)}
      onKeyDown={onKeyDown}
      onDoubleClick={(event) => reset(event.currentTarget)}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={end}
      onPointerCancel={end}
    />
  )
}
