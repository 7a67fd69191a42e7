import type { Walk } from './DetailDrawer.tsx'

/** Steps from the open row to its neighbours in the list that is shown. */
export function walkOf<T>(
  rows: readonly T[],
  idOf: (row: T) => string,
  openId: string,
  open: (row: T) => void,
): Walk {
  const at = rows.findIndex((row) => idOf(row) === openId)
  const step = (row: T | undefined): (() => void) | null => (row === undefined ? null : () => open(row))
  return {
    previous: at <= 0 ? null : step(rows[at - 1]),
    next: at === -1 ? null : step(rows[at + 1]),
  }
}
