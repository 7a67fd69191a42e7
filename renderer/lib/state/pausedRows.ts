import { notifyManager } from '@tanstack/react-query'
import { useState } from 'react'
import { formatNumber } from '../format/format.ts'
import { createStore, useStore } from './store.ts'

/** Number of changes the user made in this tab. */
const ownChanges = createStore(0)

/**
 * Makes every list show its newest rows, even if it is in use. Call it after a change by the user and the
 * refetch of the lists. Queries report new data to their components later, in the order of this queue, so the
 * components have the data before this change.
 */
export const showOwnChange = (): void => notifyManager.schedule(() => ownChanges.set(ownChanges.get() + 1))

type PausedRows<T> = {
  readonly rows: readonly T[]
  /** Number of new rows that are not shown yet. `showNew` shows them. */
  readonly newCount: number
  /** `newCount` as text. `50+` if a full page of new rows hides how many more there are. */
  readonly newCountText: string
  /** Ids of shown rows that are no longer in the list. */
  readonly removedIds: ReadonlySet<string>
  readonly showNew: () => void
}

type Options<T> = {
  /**
   * True while the user points at the rows, has scrolled away from the top, or has a row open or selected.
   */
  readonly isPaused: boolean
  /** Filters, page and order. Another scope is another list and is shown immediately. */
  readonly scope: string
  /** True while `fresh` still belongs to the previous scope. */
  readonly isPlaceholder: boolean
  /** Length of the whole list, if it is known exactly. */
  readonly total?: number | undefined
  /** Counts the new rows by comparing the rows. Used if a full page of new rows arrived. */
  readonly countSince?: ((fresh: readonly T[], shown: readonly T[]) => number) | undefined
  /** True if `fresh` is the whole list: a missing row has then left it, and is not on another page. */
  readonly isCompleteList?: boolean
}

type Shown<T> = {
  readonly scope: string | null
  readonly rows: readonly T[]
  readonly total: number | undefined
  readonly changes: number
}

const noIds: ReadonlySet<string> = new Set()
const nothingShown = { scope: null, rows: [], total: undefined, changes: 0 }

/**
 * Pauses updates of a list while it is in use. New rows are only counted; shown rows get their newest values;
 * a row that left the list or moved to another page keeps its place. A change by the user is shown immediately.
 */
export function usePausedRows<T>(
  fresh: readonly T[],
  idOf: (row: T) => string,
  options: Options<T>,
): PausedRows<T> {
  const { scope, isPlaceholder, total } = options
  const [shown, setShown] = useState<Shown<T>>(nothingShown)
  const changes = useStore(ownChanges)
  const shownIds = new Set(shown.rows.map(idOf))
  const newestById = new Map(fresh.map((row) => [idOf(row), row]))
  const arrived = fresh.filter((row) => !shownIds.has(idOf(row))).length
  const isDifferent = arrived > 0 || shown.rows.some((row) => !newestById.has(idOf(row)))
  const isCurrent = shown.scope === scope && shown.changes === changes
  const isFrozen = options.isPaused && !isPlaceholder && isCurrent && shown.rows.length > 0 && isDifferent
  const isStored = shown.rows === fresh && isCurrent && shown.total === total
  if (!isPlaceholder && !isFrozen && !isStored) setShown({ scope, rows: fresh, total, changes })
  if (!isFrozen)
    return { rows: fresh, newCount: 0, newCountText: '', removedIds: noIds, showNew: () => undefined }
  const isFullPage = arrived === fresh.length
  // A row that left meanwhile (the period moved on) hides one that arrived, so this is a lower bound.
  const growth = total === undefined || shown.total === undefined ? 0 : total - shown.total
  const countedNew = isFullPage ? (options.countSince?.(fresh, shown.rows) ?? 0) : 0
  const newCount = isFullPage ? Math.max(arrived, growth, countedNew) : arrived
  return {
    rows: shown.rows.map((row) => newestById.get(idOf(row)) ?? row),
    newCount,
    newCountText: formatNumber(newCount) + (isFullPage ? '+' : ''),
    removedIds:
      options.isCompleteList === true ? new Set([...shownIds].filter((id) => !newestById.has(id))) : noIds,
    showNew: () => setShown(nothingShown),
  }
}
