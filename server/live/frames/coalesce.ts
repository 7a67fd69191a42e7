import type { AddressedFrame } from './audience.ts'

/** Number of `changed` frames of one entity above which a single one without an id replaces them. */
const maxNamed = 10

/**
 * Combines frames that were announced together: many `changed` frames of one entity become one with
 * `id: null`, in the place of the last.
 */
export function coalesce(frames: readonly AddressedFrame[]): AddressedFrame[] {
  const counts = new Map<string, number>()
  for (const { frame } of frames) {
    if (frame.type === 'changed') counts.set(frame.entity, (counts.get(frame.entity) ?? 0) + 1)
  }
  const userIds = new Map<string, string[]>()
  for (const { frame, userIds: ids = [] } of frames) {
    if (frame.type === 'changed') userIds.set(frame.entity, [...(userIds.get(frame.entity) ?? []), ...ids])
  }
  const workspaceIds = new Map<string, Set<string>>()
  for (const { frame, workspaceIds: ids } of frames) {
    if (frame.type !== 'changed') continue
    const all = workspaceIds.get(frame.entity) ?? new Set<string>()
    for (const id of ids) all.add(id)
    workspaceIds.set(frame.entity, all)
  }
  const remainingCounts = new Map(counts)
  return frames.flatMap((addressed) => {
    const { frame } = addressed
    if (frame.type !== 'changed' || (counts.get(frame.entity) ?? 0) <= maxNamed) return [addressed]
    const remaining = (remainingCounts.get(frame.entity) ?? 0) - 1
    remainingCounts.set(frame.entity, remaining)
    return remaining > 0
      ? []
      : [
          {
            ...addressed,
            frame: { ...frame, id: null },
            workspaceId: null,
            workspaceIds: workspaceIds.get(frame.entity) ?? new Set(),
            userIds: userIds.get(frame.entity) ?? [],
          },
        ]
  })
}

/** Ids of workspaces; null: any. */
type WorkspaceIds = Iterable<string> | null

/** Calls `fire` once, `ms` milliseconds after the first of any number of calls, with the workspaces of all. */
export function createWorkspaceCoalescer(ms: number, fire: (ids: ReadonlySet<string> | null) => void) {
  let timer: NodeJS.Timeout | null = null
  let isAny = false
  let known = new Set<string>()
  return {
    trigger(ids: WorkspaceIds): void {
      if (ids === null) isAny = true
      else for (const id of ids) known.add(id)
      timer ??= setTimeout(() => {
        timer = null
        const concerned = isAny ? null : known
        isAny = false
        known = new Set()
        fire(concerned)
      }, ms)
      timer.unref()
    },
    cancel(): void {
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
