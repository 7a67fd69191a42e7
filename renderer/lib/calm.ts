import { useState } from 'react'

type Held<T> = {
  /** What to show. */
  readonly rows: readonly T[]
  /** How many newer rows wait; they come with `release`. */
  readonly waiting: number
  readonly release: () => void
}

type Options = {
  /** Scrolled away from the top, or a row is open or selected. */
  readonly isHeld: boolean
  /** Filters and page: another scope is another list and starts anew. */
  readonly scope: string
  /** `fresh` still belongs to the scope before. */
  readonly isPlaceholder: boolean
}

/**
 * Nothing moves under the pointer: while held, rows that arrived since stay outside and are only counted; the rows
 * shown still take their newest values, and one that was pushed off the page stays where it is.
 */
export function useCalmRows<T>(fresh: readonly T[], idOf: (row: T) => string, options: Options): Held<T> {
  const [shown, setShown] = useState<{ scope: string | null; rows: readonly T[] }>({ scope: null, rows: [] })
  const known = new Set(shown.rows.map(idOf))
  const firstKnown = fresh.findIndex((row) => known.has(idOf(row)))
  const waiting = firstKnown === -1 ? fresh.length : firstKnown
  const isNew = shown.scope !== options.scope || known.size === 0
  const isHolding = !isNew && options.isHeld && waiting > 0
  const take = !options.isPlaceholder && !isHolding && shown.rows !== fresh
  if (take) setShown({ scope: options.scope, rows: fresh })
  if (!isHolding) return { rows: fresh, waiting: 0, release: () => undefined }
  const newest = new Map(fresh.map((row) => [idOf(row), row]))
  return {
    rows: shown.rows.map((row) => newest.get(idOf(row)) ?? row),
    waiting,
    release: () => setShown({ scope: null, rows: [] }),
  }
}
