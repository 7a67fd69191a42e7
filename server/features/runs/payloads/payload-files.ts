import { createSerialQueue } from '../../../lib/async/serial-queue.ts'
import { createDayFiles, type DayFiles } from './day-files.ts'
import {
  dayOf,
  daysToRemove,
  type PayloadLimits,
  type PayloadLocation,
  type PayloadRefusal,
} from './payload-limits.ts'
import { lineOf, type OwnedPayload, type Payload, payloadIn } from './payload-line.ts'
import type { PayloadStage } from './stored/stage.ts'

/**
 * Captured input and output. A run's row contains the location of its line. With the embedded engine, they are one
 * append-only file per day outside the database, because payloads would fill the database in memory. PostgreSQL stores
 * them itself, with the same days and offsets: see stored/.
 */
export type Payloads = {
  /** Appends and syncs. Returns null for a payload that was not stored. */
  append(at: Date, payloads: readonly OwnedPayload[]): Promise<(PayloadLocation | null)[]>
  /** Like `append`, for payloads whose rows are written next. Returns the reason for each payload that was not stored. */
  appendHeld(
    at: Date,
    payloads: readonly OwnedPayload[],
    hold: PayloadHold,
  ): Promise<(PayloadLocation | PayloadRefusal)[]>
  /** Stores the payloads of runs in the transaction of their rows, in place of `appendHeld`; null for files. */
  readonly staged: PayloadStage | null
  /** Creates a hold for payloads whose rows are written after them. */
  hold(): PayloadHold
  /** Returns each file, with the end of the part that no hold protects. Does not wait for an append. */
  ends(): Promise<readonly PayloadEnd[]>
  /** Returns null if the day was removed, or if the line is damaged or belongs to none of `owners`. */
  read(location: PayloadLocation, owners: readonly string[]): Promise<Payload | null>
  /** Removes days past retention, and the oldest days while the folder is too large. */
  prune(now: Date): Promise<void>
  close(): Promise<void>
}

/** Marks payloads of which the rows are not stored yet, so that the content index waits for them. */
export type PayloadHold = {
  /** Reports that the rows are stored or will never be. */
  release(): void
}
/** A payload file, up to an offset. */
export type PayloadEnd = { readonly day: number; readonly end: number }

/** Observes the payload files. */
export type PayloadListener = {
  /** The rows of payloads were stored. */
  stored(): void
  /** The file of a day was replaced, or will be removed when this resolves. */
  removing(day: number): Promise<void>
}
const noListener: PayloadListener = { stored: () => {}, removing: async () => {} }

type Held = PayloadHold & { at: { day: number; offset: number } | null }

type State = {
  readonly files: DayFiles
  readonly currentLimits: () => PayloadLimits
  readonly listener: PayloadListener
  readonly holds: Set<Held>
  /** Days whose files are being removed. */
  readonly removing: Set<number>
}

export function createPayloads(
  folder: string,
  currentLimits: () => PayloadLimits,
  listener = noListener,
): Payloads {
  const removing = new Set<number>()
  const files = createDayFiles(folder, (day) => forget({ listener, removing }, day, async () => {}))
  const state: State = { files, currentLimits, listener, holds: new Set(), removing }
  // Offsets depend on the order of the operations.
  const queue = createSerialQueue()
  return {
    append: (at, payloads) =>
      queue.run(async () => {
        const stored = await append(files, dayOf(at), currentLimits(), payloads)
        return stored.map((location) => (typeof location === 'string' ? null : location))
      }),
    appendHeld: (at, payloads, hold) =>
      queue.run(async () => {
        const day = dayOf(at)
        const held = [...state.holds].find((each) => each === hold)
        if (held !== undefined) held.at = { day, offset: await files.open(day) }
        return append(files, day, currentLimits(), payloads)
      }),
    staged: null,
    hold: () => createHold(state),
    ends: async () => endsOf(state, files.knownSizes() ?? (await queue.run(files.loadSizes))),
    async read({ day, offset, length }, owners) {
      const line = await files.read(day, offset, length)
      return line === null ? null : payloadIn(line, owners)
    },
    prune: (now) => queue.run(() => prune(state, dayOf(now))),
    close: () => queue.run(() => files.close()),
  }
}

function createHold({ holds, listener }: State): PayloadHold {
  const hold: Held = {
    at: null,
    release() {
      if (holds.delete(hold) && hold.at !== null) listener.stored()
    },
  }
  holds.add(hold)
  return hold
}

function endsOf({ holds, removing }: State, sizes: ReadonlyMap<number, number>): PayloadEnd[] {
  return [...sizes]
    .filter(([day]) => !removing.has(day))
    .map(([day, size]) => {
      const held = [...holds].flatMap(({ at }) => (at?.day === day ? [at.offset] : []))
      return { day, end: Math.min(size, ...held) }
    })
}

async function append(
  files: DayFiles,
  day: number,
  limits: PayloadLimits,
  payloads: readonly OwnedPayload[],
): Promise<(PayloadLocation | PayloadRefusal)[]> {
  const start = await files.open(day)
  const sizes = await files.loadSizes()
  let freeBytes = limits.totalBytes - [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const lines: Buffer[] = []
  let offset = start
  const locations = payloads.map((payload): PayloadLocation | PayloadRefusal => {
    const line = lineOf(payload)
    if (line.length > limits.payloadBytes) return 'too_large'
    if (line.length > freeBytes) return 'full'
    const location = { day, offset, length: line.length }
    lines.push(line)
    offset += line.length
    freeBytes -= line.length
    return location
  })
  if (lines.length > 0) await files.append(lines)
  return locations
}

async function prune(state: State, today: number): Promise<void> {
  const { files, currentLimits } = state
  const limits = currentLimits()
  for (const file of daysToRemove(await files.list(), limits, today))
    await forget(state, file.day, () => files.remove(file))
}

/** Removes a day from the index, and then with `remove` its file. */
async function forget(
  { listener, removing }: Pick<State, 'listener' | 'removing'>,
  day: number,
  remove: () => Promise<void>,
): Promise<void> {
  removing.add(day)
  try {
    await listener.removing(day)
    await remove()
  } finally {
    removing.delete(day)
  }
}
