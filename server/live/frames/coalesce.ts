import type { AddressedFrame } from './audience.ts'

/** Maximum number of `changed` frames of one entity that are sent one by one. */
const maxSeparate = 10

/**
 * Combines frames that were announced together: many `changed` frames of one entity become one with
 * `id: null`, in the place of the last.
 */
export function coalesce(frames: readonly AddressedFrame[]): AddressedFrame[] {
  const byEntity = new Map<string, AddressedFrame[]>()
  for (const addressed of frames) {
    const { frame } = addressed
    if (frame.type !== 'changed') continue
    const others = byEntity.get(frame.entity)
    if (others === undefined) byEntity.set(frame.entity, [addressed])
    else others.push(addressed)
  }
  return frames.flatMap((addressed) => {
    const { frame } = addressed
    const all = frame.type === 'changed' ? (byEntity.get(frame.entity) ?? []) : []
    if (frame.type !== 'changed' || all.length <= maxSeparate) return [addressed]
    if (addressed !== all.at(-1)) return []
    const workspaceIds = new Set(all.flatMap((each) => [...each.workspaceIds]))
    const userIds = all.flatMap((each) => each.userIds ?? [])
    return [{ ...addressed, frame: { ...frame, id: null }, workspaceId: null, workspaceIds, userIds }]
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
