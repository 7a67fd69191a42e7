import { type RefObject, useCallback, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { createStore, type Store } from '../../lib/state/store.ts'
import type { Column } from './columns.ts'

/**
 * Widths of table frames in pixels, by table. They remain after a table is unmounted, so that it has the
 * right columns as soon as it is mounted again.
 */
const widths = new Map<string, Store<number>>()

function widthStoreOf(table: string): Store<number> {
  const cached = widths.get(table)
  if (cached !== undefined) return cached
  // A table that was never measured is at most as wide as its page.
  const created = createStore(document.getElementById('main')?.clientWidth ?? window.innerWidth)
  widths.set(table, created)
  return created
}

/** Stores the width of a table's frame, measured before it is painted and whenever it changes. */
export function useFrameWidth(table: string, frame: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null) return
    const measure = (): void => {
      // An element that is not displayed has no width.
      if (current.clientWidth > 0) widthStoreOf(table).set(current.clientWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [table, frame])
}

/**
 * Returns the keys of columns that the frame is too narrow for. The set stays the same until one is added or
 * removed, so that rows render only then.
 */
export function useOverflowColumns(table: string, columns: readonly Column<never>[]): ReadonlySet<string> {
  const width = widthStoreOf(table)
  const read = useCallback(
    () =>
      columns
        .filter(({ minFrameWidth = 0 }) => width.get() < minFrameWidth)
        .map(({ key }) => key)
        .join(' '),
    [columns, width],
  )
  const keys = useSyncExternalStore(width.subscribe, read)
  return useMemo(() => new Set(keys.split(' ')), [keys])
}
