import type { Query } from '../db/types.ts'
import type { StoredClockState } from './clock-state.ts'

const keys = {
  wallMs: 'clock_wall_ms',
  pausedAtMs: 'clock_paused_at_ms',
  shiftMs: 'clock_shift_ms',
  ranMs: 'clock_ran_ms',
} as const

/** Reads the stored state of the clock, or null if there is none. */
export async function readStored(q: Query): Promise<StoredClockState | null> {
  const rows = await q
    .selectFrom('meta')
    .select(['key', 'value'])
    .where('key', 'in', Object.values(keys))
    .execute()
  const values = new Map(rows.map(({ key, value }) => [key, value]))
  const wallMs = values.get(keys.wallMs)
  if (wallMs === undefined) return null
  const [pausedAtMs, shiftMs, ranMs] = [keys.pausedAtMs, keys.shiftMs, keys.ranMs].map((key) =>
    values.get(key),
  )
  const isPaused = pausedAtMs !== undefined && shiftMs !== undefined && ranMs !== undefined
  return { wallMs, pause: isPaused ? { pausedAtMs, shiftMs, ranMs } : null }
}

export async function writeStored(q: Query, { wallMs, pause }: StoredClockState): Promise<void> {
  await q.deleteFrom('meta').where('key', 'in', Object.values(keys)).execute()
  const rows = [
    { key: keys.wallMs, value: wallMs },
    ...(pause === null
      ? []
      : [
          { key: keys.pausedAtMs, value: pause.pausedAtMs },
          { key: keys.shiftMs, value: Math.round(pause.shiftMs) },
          { key: keys.ranMs, value: Math.round(pause.ranMs) },
        ]),
  ]
  for (const row of rows) await q.insertInto('meta').values(row).execute()
}
