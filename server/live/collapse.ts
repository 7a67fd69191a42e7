import type { Addressed } from './audience.ts'

/** More `changed` frames of one entity than this at once say no more than one that names none. */
const mostNamed = 10

/** Frames announced together: a heap of `changed` frames of one entity becomes one with `id: null`, at the last one's place. */
export function collapse(frames: readonly Addressed[]): Addressed[] {
  const counts = new Map<string, number>()
  for (const { frame } of frames) {
    if (frame.type === 'changed') counts.set(frame.entity, (counts.get(frame.entity) ?? 0) + 1)
  }
  const userIds = new Map<string, string[]>()
  for (const { frame, userIds: ids = [] } of frames) {
    if (frame.type === 'changed') userIds.set(frame.entity, [...(userIds.get(frame.entity) ?? []), ...ids])
  }
  const left = new Map(counts)
  return frames.flatMap((addressed) => {
    const { frame } = addressed
    if (frame.type !== 'changed' || (counts.get(frame.entity) ?? 0) <= mostNamed) return [addressed]
    const remaining = (left.get(frame.entity) ?? 0) - 1
    left.set(frame.entity, remaining)
    return remaining > 0
      ? []
      : [
          {
            ...addressed,
            frame: { ...frame, id: null },
            workspaceId: null,
            userIds: userIds.get(frame.entity) ?? [],
          },
        ]
  })
}

/** Calls `fire` once, `ms` after the first of any number of calls. */
export function createBurst(ms: number, fire: () => void) {
  let timer: NodeJS.Timeout | null = null
  return {
    touch(): void {
      timer ??= setTimeout(() => {
        timer = null
        fire()
      }, ms)
      timer.unref()
    },
    cancel(): void {
      if (timer !== null) clearTimeout(timer)
      timer = null
    },
  }
}
