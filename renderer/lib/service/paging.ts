import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { ListReply } from './api.ts'

/** Rows per page of a list. */
export const pageSize = 50

/** Returns the length of a list, or undefined if the service did not count all of it. */
export const exactTotal = (reply: ListReply<unknown> | undefined): number | undefined =>
  reply?.total_capped === true ? undefined : reply?.total

/**
 * Position in a list and the ways to page. `from` is the number of the first row, null if unknown. `newer` is
 * null on the first page, `older` on the last.
 */
export type Paging = {
  readonly from: number | null
  readonly newer: (() => void) | null
  readonly older: (() => void) | null
}

declare module '@tanstack/history' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the router's state is typed by merging into this interface
  interface HistoryState {
    /** Cursors of the previous pages. An empty string is the first page. */
    trail?: string[]
  }
}

/**
 * Pages through a list by cursor. The cursor is in the address. The cursors of previous pages are in the
 * history entry, so they survive a reload. A shared link has none: Newer then goes to the first page.
 */
export function usePaging(cursor: string | undefined, reply: ListReply<unknown> | undefined): Paging {
  const navigate = useNavigate()
  const trail = useRouterState({ select: (state) => state.location.state.trail })
  const go = (next: string | undefined, nextTrail: string[]): void => {
    void navigate({
      to: '.',
      search: (before) => ({ ...before, cursor: next }),
      state: { trail: nextTrail },
    })
  }
  const isFirst = cursor === undefined
  const next = reply?.next_cursor ?? null
  const steps = trail ?? []
  return {
    from: isFirst ? 1 : trail === undefined ? null : steps.length * pageSize + 1,
    newer: isFirst
      ? null
      : () => {
          const before = steps.at(-1)
          go(before === '' ? undefined : before, steps.slice(0, -1))
        },
    older: next === null ? null : () => go(next, [...(isFirst ? [] : steps), cursor ?? '']),
  }
}
