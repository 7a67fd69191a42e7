import { createSerialQueue } from '../../../lib/async/serial-queue.ts'
import { dayMs } from '../../../lib/durations.ts'
import type { RunSettings } from '../store/settings.ts'
import { createDayFiles, type DayFiles } from './day-files.ts'
import { lineOf, type OwnedPayload, type Payload, payloadIn } from './payload-line.ts'

export type PayloadLocation = { readonly day: number; readonly offset: number; readonly length: number }

/**
 * Captured input and output: one append-only file per day outside the database. A run's row contains the
 * location of its line. Stored outside because payloads would fill the in-memory database.
 */
export type Payloads = {
  /**
   * Appends and syncs. Returns null for a payload that was not stored because it or the folder is too large.
   */
  append(at: Date, payloads: readonly OwnedPayload[]): Promise<(PayloadLocation | null)[]>
  /** Returns null if the day was removed, or if the line is damaged or belongs to none of `owners`. */
  read(location: PayloadLocation, owners: readonly string[]): Promise<Payload | null>
  /** Removes days past retention, and the oldest days while the folder is too large. */
  prune(now: Date): Promise<void>
  close(): Promise<void>
}

export type PayloadLimits = {
  readonly days: number
  readonly totalBytes: number
  readonly payloadBytes: number
}
const mib = 1024 * 1024

/** Returns the limits of the payload folder. No payload outlives its run. */
export const payloadLimitsOf = (settings: RunSettings): PayloadLimits => ({
  days: Math.min(settings.payloadRetentionDays, settings.runRetentionDays),
  totalBytes: settings.payloadMaxMb * mib,
  payloadBytes: mib,
})

const dayOf = (at: Date): number => Math.floor(at.getTime() / dayMs)

export function createPayloads(folder: string, currentLimits: () => PayloadLimits): Payloads {
  const files = createDayFiles(folder)
  // Offsets depend on the order of the operations.
  const queue = createSerialQueue()
  return {
    append: (at, payloads) => queue.run(() => append(files, dayOf(at), currentLimits(), payloads)),
    async read({ day, offset, length }, owners) {
      const line = await files.read(day, offset, length)
      return line === null ? null : payloadIn(line, owners)
    },
    prune: (now) => queue.run(() => prune(files, dayOf(now), currentLimits())),
    close: () => queue.run(() => files.close()),
  }
}

async function append(
  files: DayFiles,
  day: number,
  limits: PayloadLimits,
  payloads: readonly OwnedPayload[],
): Promise<(PayloadLocation | null)[]> {
  const start = await files.open(day)
  let freeBytes = limits.totalBytes - (await files.totalBytes())
  const lines: Buffer[] = []
  let offset = start
  const locations = payloads.map((payload): PayloadLocation | null => {
    const line = lineOf(payload)
    if (line.length > limits.payloadBytes || line.length > freeBytes) return null
    const location = { day, offset, length: line.length }
    lines.push(line)
    offset += line.length
    freeBytes -= line.length
    return location
  })
  if (lines.length > 0) await files.append(lines)
  return locations
}

async function prune(files: DayFiles, today: number, limits: PayloadLimits): Promise<void> {
  const listed = await files.list()
  let remainingBytes = listed.reduce((sum, { size }) => sum + size, 0)
  for (const file of listed) {
    const { day, size } = file
    const isExpired = day <= today - limits.days
    // Frees a tenth, so that capture does not alternate between on and off with every line.
    const exceedsLimit = remainingBytes > limits.totalBytes * 0.9 && day < today
    if (!isExpired && !exceedsLimit) continue
    await files.remove(file)
    remainingBytes -= size
  }
}
