import { useNavigate, useRouterState } from '@tanstack/react-router'
import type { ListReply } from './api.ts'

export const pageSize = 50

/** How long a list is, where the service counted it to the end. */
export const exactTotal = (reply: ListReply<unknown> | undefined): number | undefined =>
  reply?.total_capped === true ? undefined : reply?.total

/** Where the list is and how to go on. `newer` is null on the first page, `older` on the last. */
export type Paging = {
  readonly from: number | null
  readonly newer: (() => void) | null
  readonly older: (() => void) | null
}

declare module '@tanstack/history' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: the router's state is typed by merging into this interface
  interface HistoryState {
    /** The cursors of the pages before this one; empty text is the first page. */
    trail?: string[]
  }
}

/**
 * Pages of a list by cursor. The cursor is in the address; the way back is kept with the history entry, so it survives
 * a reload. A shared link has no way back: Newer then goes to the first page.
 */
export function usePaging(cursor: string | undefined, reply: ListReply<unknown> | undefined): Paging {
  const navigate = useNavigate()
  const trail = useRouterState({ select: (state) => state.location.state.trail })
  const go = (next: string | undefined, nextTrail: string[]): void => {
    void navigate({
      to: '.',
      search: ((before: Record<string, unknown>) => ({ ...before, cursor: next })) as never,
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
