import { minuteMs } from '../../../lib/durations.ts'
import type { EventRow } from '../events/events.store.ts'
import type { StateRow } from '../rules/rules.store.ts'

/** The result of a measurement: a value, or the reason why there is too little data. */
export type Reading =
  | { readonly value: number; readonly isBeyond: boolean; readonly reason?: undefined }
  | { readonly value: null; readonly reason: string }

export type AlertState = Pick<StateRow, 'status' | 'since' | 'clear_since'>

export type Transition = {
  readonly state: AlertState
  /** The event of this change; null if there is none. */
  readonly event: Pick<EventRow, 'type' | 'resolution'> | null
}

/**
 * Time for which a firing alert's value must stay within its threshold until the alert is resolved. A value that
 * moves around the threshold then causes one event instead of one per minute.
 */
const resolveAfterMs = 5 * minuteMs

/** Value of `clear_since` after a change of the condition: the next evaluation may resolve immediately. */
export const conditionChanged = 0

/** Returns the state after a measurement. A firing alert with too little data keeps firing. */
export function transition(before: AlertState | undefined, reading: Reading, nowMs: number): Transition {
  const status = reading.value === null ? 'no_data' : reading.isBeyond ? 'firing' : 'ok'
  if (before?.status === 'firing') return afterFiring(before, status, nowMs)
  const isSame = before?.status === status
  return {
    state: { status, since: isSame ? before.since : nowMs, clear_since: null },
    event: status === 'firing' ? { type: 'firing', resolution: null } : null,
  }
}

function afterFiring(before: AlertState, status: AlertState['status'], nowMs: number): Transition {
  const firing = (clearSince: number | null): Transition => ({
    state: { ...before, clear_since: clearSince },
    event: null,
  })
  const resolved = (resolution: EventRow['resolution']): Transition => ({
    state: { status, since: nowMs, clear_since: null },
    event: { type: 'resolved', resolution },
  })
  if (status === 'firing') return firing(null)
  if (before.clear_since === conditionChanged) return resolved('changed')
  if (status === 'no_data') return firing(null)
  // A time in the future was stored before the clock moved back.
  const clearSince = Math.min(before.clear_since ?? nowMs, nowMs)
  return nowMs - clearSince >= resolveAfterMs ? resolved('recovered') : firing(clearSince)
}
