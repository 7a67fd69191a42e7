import { useState } from 'react'
import { formatNumber } from './format.ts'
import { createStore, useStore } from './store.ts'

/** How often the person changed something here. */
const ownChanges = createStore(0)

/** What the person just did is in the caches: every list shows it at once, also one that is being read. */
export const showOwnChange = (): void => ownChanges.set(ownChanges.get() + 1)

type Held<T> = {
  /** What to show. */
  readonly rows: readonly T[]
  /** How many rows that came since wait outside; they come with `release`. */
  readonly waiting: number
  /** The same as people read it; `50+` where a full page of new rows hides how many more there are. */
  readonly waitingText: string
  /** The ids of rows that are no longer in the list, kept in their place only because someone is reading. */
  readonly left: ReadonlySet<string>
  readonly release: () => void
}

type Options<T> = {
  /** Someone is at the rows, scrolled away from the top, or has one open or selected. */
  readonly isHeld: boolean
  /** Filters, page and order: another scope is another list and starts anew. */
  readonly scope: string
  /** `fresh` still belongs to the scope before. */
  readonly isPlaceholder: boolean
  /** How long the whole list is, where that is known exactly. */
  readonly total?: number | undefined
  /** How many came since, where the newest rows themselves tell it. */
  readonly countSince?: ((fresh: readonly T[], shown: readonly T[]) => number) | undefined
  /** `fresh` is the whole list, so a row that is not in it has left and was not merely pushed to another page. */
  readonly isWhole?: boolean
}

type Shown<T> = {
  readonly scope: string | null
  readonly rows: readonly T[]
  readonly total: number | undefined
  readonly changes: number
}

const nobody: ReadonlySet<string> = new Set()
const nothing = { scope: null, rows: [], total: undefined, changes: 0 }

/**
 * Nothing moves under the pointer: while held, rows that came since stay outside and are only counted; the rows shown
 * take their newest values, and one that left or was pushed off the page stays where it is. But what the person does
 * counts at once.
 */
export function useCalmRows<T>(fresh: readonly T[], idOf: (row: T) => string, options: Options<T>): Held<T> {
  const { scope, isPlaceholder, total } = options
  const [shown, setShown] = useState<Shown<T>>(nothing)
  const changes = useStore(ownChanges)
  const known = new Set(shown.rows.map(idOf))
  const newest = new Map(fresh.map((row) => [idOf(row), row]))
  const arrived = fresh.filter((row) => !known.has(idOf(row))).length
  const differs = arrived > 0 || shown.rows.some((row) => !newest.has(idOf(row)))
  const isSame = shown.scope === scope && shown.changes === changes
  const isHolding = options.isHeld && !isPlaceholder && isSame && shown.rows.length > 0 && differs
  const isTaken = shown.rows === fresh && isSame && shown.total === total
  if (!isPlaceholder && !isHolding && !isTaken) setShown({ scope, rows: fresh, total, changes })
  if (!isHolding) return { rows: fresh, waiting: 0, waitingText: '', left: nobody, release: () => undefined }
  const isMore = arrived === fresh.length
  // A row that left meanwhile (the period moved on) hides one that came, so this is the least it can be.
  const grown = total === undefined || shown.total === undefined ? 0 : total - shown.total
  const counted = isMore ? (options.countSince?.(fresh, shown.rows) ?? 0) : 0
  const waiting = isMore ? Math.max(arrived, grown, counted) : arrived
  return {
    rows: shown.rows.map((row) => newest.get(idOf(row)) ?? row),
    waiting,
    waitingText: formatNumber(waiting) + (isMore ? '+' : ''),
    left: options.isWhole === true ? new Set([...known].filter((id) => !newest.has(id))) : nobody,
    release: () => setShown(nothing),
  }
}
