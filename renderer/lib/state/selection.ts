import { useCallback, useState } from 'react'

type State = {
  readonly scope: string
  readonly ids: ReadonlySet<string>
  /** The row that was selected last, where a range begins. */
  readonly anchor: string | null
}

export type Selection = {
  readonly ids: ReadonlySet<string>
  /**
   * Selects or deselects a row; with `isRange`, selects all rows from the one selected last. `listed` is the
   * order on screen.
   */
  readonly toggle: (id: string, listed: readonly string[], isRange: boolean) => void
  /** Selects all listed rows, or none if all were selected. */
  readonly toggleAll: (listed: readonly string[]) => void
  readonly clear: () => void
  /** Deselects all other rows. */
  readonly keep: (ids: ReadonlySet<string>) => void
}

const none: ReadonlySet<string> = new Set()
const empty = (scope: string): State => ({ scope, ids: none, anchor: null })

function between(listed: readonly string[], anchor: string, target: string): readonly string[] {
  const ends = [listed.indexOf(anchor), listed.indexOf(target)].toSorted((a, b) => a - b)
  const [from = -1, to = -1] = ends
  return from === -1 ? [target] : listed.slice(from, to + 1)
}

/**
 * Returns the selected rows of a list. `scope` is its filters and page; another scope starts with no
 * selection.
 */
export function useSelection(scope: string): Selection {
  const [state, setState] = useState<State>(() => empty(scope))
  const change = useCallback(
    (next: (before: State) => Pick<State, 'ids' | 'anchor'>) =>
      setState((before) => ({ scope, ...next(before.scope === scope ? before : empty(scope)) })),
    [scope],
  )
  return {
    ids: state.scope === scope ? state.ids : none,
    toggle: useCallback(
      (id, listed, isRange) =>
        change(({ ids, anchor }) => {
          const next = new Set(ids)
          if (isRange && anchor !== null) for (const rowId of between(listed, anchor, id)) next.add(rowId)
          else if (!next.delete(id)) next.add(id)
          return { ids: next, anchor: id }
        }),
      [change],
    ),
    toggleAll: useCallback(
      (listed) =>
        change(({ ids }) => ({
          ids: listed.every((id) => ids.has(id)) ? none : new Set(listed),
          anchor: null,
        })),
      [change],
    ),
    keep: useCallback(
      (kept) => change(({ ids }) => ({ ids: new Set([...ids].filter((id) => kept.has(id))), anchor: null })),
      [change],
    ),
    clear: useCallback(() => setState(empty(scope)), [scope]),
  }
}
