import { type RefObject, useCallback, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { createStore, type Store } from '../lib/store.ts'
import type { Column } from './columns.ts'

/** In pixels, by table. They outlive a table, so that the next one of its name begins with the columns it keeps. */
const widths = new Map<string, Store<number>>()

function widthOf(table: string): Store<number> {
  const known = widths.get(table)
  if (known !== undefined) return known
  // A table that was never seen has no more room than its page.
  const made = createStore(document.getElementById('main')?.clientWidth ?? window.innerWidth)
  widths.set(table, made)
  return made
}

/** Keeps the width of a table's frame: measured before it is painted, and as it changes. */
export function useFrame(table: string, frame: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = frame
    if (current === null) return
    const measure = (): void => {
      // What is not on screen has no width.
      if (current.clientWidth > 0) widthOf(table).set(current.clientWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [table, frame])
}

/** The columns the frame is too narrow for. The same set until one comes or goes, so that rows render only then. */
export function useNoRoom(table: string, columns: readonly Column<never>[]): ReadonlySet<string> {
  const width = widthOf(table)
  const read = useCallback(
    () =>
      columns
        .filter(({ atLeast = 0 }) => width.get() < atLeast)
        .map(({ key }) => key)
        .join(' '),
    [columns, width],
  )
  const keys = useSyncExternalStore(width.subscribe, read)
  return useMemo(() => new Set(keys.split(' ')), [keys])
}
