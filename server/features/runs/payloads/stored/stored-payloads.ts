import { randomUUID } from 'node:crypto'
import type { Db } from '../../../../db/types.ts'
import { createYield } from '../../../../lib/async/yield.ts'
import { fail } from '../../../../lib/fail.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import type { Payloads } from '../payload-files.ts'
import {
  dayOf,
  daysToRemove,
  type PayloadLimits,
  type PayloadLocation,
  type PayloadRefusal,
} from '../payload-limits.ts'
import { lineOf, type OwnedPayload, type Payload, payloadIn } from '../payload-line.ts'
import { payloadStore, type StoredLine } from './payloads.store.ts'
import type { ObjectPart, PreparedPayload } from './stage.ts'
import { createPayloadWriter } from './writer.ts'

export type StoredPayloadsDeps = {
  readonly db: Db
  readonly limits: () => PayloadLimits
  /** Returns the terms under which the search finds a payload. */
  readonly termsOf: (payload: Payload) => readonly string[]
  /** The store of the lines; null: the database. */
  readonly objects: ObjectStore | null
  /** Imports the payload files of an earlier version; resolves when they are in the database. */
  readonly ensureImported: () => Promise<void>
  readonly onError: (error: unknown) => void
}

/** A payload to read. It is returned only if its line belongs to one of `owners`. */
export type PayloadRequest = {
  readonly day: number
  readonly offset: number
  readonly owners: readonly string[]
}

export type StoredPayloads = Payloads & {
  /** Returns the payloads in the order of the requests. Null has the meaning that it has in `read`. */
  readAll(requests: readonly PayloadRequest[]): Promise<(Payload | null)[]>
}

/** Number of objects that are read at the same time. */
const parallelReads = 16

/**
 * Payloads in the database, or in objects outside it to which the database refers. The offsets of a day continue over
 * all instances, because transactions that write run one at a time.
 */
export function createStoredPayloads(deps: StoredPayloadsDeps): StoredPayloads {
  const append = (at: Date, payloads: readonly OwnedPayload[]) => appendAll(deps, at, payloads)
  return {
    async append(at, payloads) {
      return (await append(at, payloads)).map((location) => (typeof location === 'string' ? null : location))
    },
    appendHeld: append,
    staged: {
      async prepare(at, payloads) {
        await deps.ensureImported()
        return prepare(deps, at, payloads, deps.termsOf)
      },
      begin: (tx, at) => createPayloadWriter(tx, dayOf(at), deps.limits()),
    },
    // A payload and its row become visible together.
    hold: () => ({ release: () => undefined }),
    ends: async () => (await payloadStore.days(deps.db.read)).map(({ day, bytes }) => ({ day, end: bytes })),
    async read({ day, offset }, owners) {
      const [payload = null] = await readAll(deps, [{ day, offset, owners }])
      return payload
    },
    readAll: (requests) => readAll(deps, requests),
    prune: (now) => prune(deps, dayOf(now)),
    close: async () => deps.objects?.close(),
  }
}

async function appendAll(
  deps: StoredPayloadsDeps,
  at: Date,
  payloads: readonly OwnedPayload[],
): Promise<(PayloadLocation | PayloadRefusal)[]> {
  await deps.ensureImported()
  const prepared = await prepare(deps, at, payloads, () => [])
  return deps.db.write(async (tx) => {
    const payloadWriter = await createPayloadWriter(tx, dayOf(at), deps.limits())
    const locations = payloads.map(({ owner }, index) => {
      const found = prepared[index] ?? 'failed'
      return typeof found === 'string' ? found : payloadWriter.place(found, { owner, run: null })
    })
    await payloadWriter.flush()
    return locations
  })
}

async function prepare(
  deps: StoredPayloadsDeps,
  at: Date,
  payloads: readonly Payload[],
  termsOf: StoredPayloadsDeps['termsOf'],
): Promise<(PreparedPayload | PayloadRefusal)[]> {
  const yieldIfDue = createYield()
  const parts = await writeObject(deps, dayOf(at), payloads)
  const prepared: (PreparedPayload | PayloadRefusal)[] = []
  for (const [index, { input, output }] of payloads.entries()) {
    const part = parts === null ? null : (parts[index] ?? 'failed')
    const payload = { input, output }
    prepared.push(typeof part === 'string' ? part : { payload, terms: termsOf(payload), part })
    await yieldIfDue()
  }
  return prepared
}

/** Returns the owner of the lines of an object. It is not the run, whose id is assigned later. */
const objectOwner = (object: string): string => `object:${object}`

/**
 * Writes payloads as one object. Returns their parts of it; null if payloads are in the database. A failure of the
 * store of objects is reported, and the runs are stored without their payloads.
 */
async function writeObject(
  { db, objects, limits, onError }: StoredPayloadsDeps,
  day: number,
  payloads: readonly Payload[],
): Promise<(ObjectPart | PayloadRefusal)[] | null> {
  if (objects === null) return null
  const object = randomUUID()
  const { payloadBytes, totalBytes } = limits()
  const used = (await payloadStore.days(db.read)).reduce((sum, { bytes }) => sum + bytes, 0)
  const lines: Buffer[] = []
  let start = 0
  const parts = payloads.map(({ input, output }): ObjectPart | PayloadRefusal => {
    const line = lineOf({ owner: objectOwner(object), input, output })
    if (line.length > payloadBytes) return 'too_large'
    if (line.length + start + used > totalBytes) return 'full'
    lines.push(line)
    start += line.length
    return { object, start: start - line.length, length: line.length }
  })
  if (lines.length === 0) return parts
  try {
    await objects.put(day, object, Buffer.concat(lines))
    return parts
  } catch (cause) {
    onError(new Error('Captured texts could not be stored at PAYLOADS_URL', { cause }))
    return parts.map((part) => (typeof part === 'string' ? part : 'failed'))
  }
}

async function readAll(
  deps: StoredPayloadsDeps,
  requests: readonly PayloadRequest[],
): Promise<(Payload | null)[]> {
  await deps.ensureImported()
  const lines = await payloadStore.lines(deps.db.read, requests)
  const found = new Map(lines.map((line) => [`${line.day} ${line.start}`, line]))
  const payloads: (Payload | null)[] = []
  for (let from = 0; from < requests.length; from += parallelReads) {
    const part = requests.slice(from, from + parallelReads)
    payloads.push(
      ...(await Promise.all(
        part.map(({ day, offset, owners }) => payloadOf(deps, found.get(`${day} ${offset}`), owners)),
      )),
    )
  }
  return payloads
}

async function payloadOf(
  { objects }: StoredPayloadsDeps,
  line: StoredLine | undefined,
  owners: readonly string[],
): Promise<Payload | null> {
  if (line === undefined) return null
  if (line.line !== null) return payloadIn(line.line, owners)
  const { object, object_start: start } = line
  if (object === null || start === null || objects === null) return null
  const text = await objects.read(line.day, object, start, line.length).catch(unavailable)
  return text === null ? null : payloadIn(text, [objectOwner(object)])
}

/** The text exists, so a reader must not take it for a run without one. */
function unavailable(cause: unknown): never {
  const detail =
    'The captured texts cannot be read now, because their store (PAYLOADS_URL) does not answer. Try again later.'
  throw fail('store.unavailable', { detail, retryAfter: 1, cause })
}

/** Removes expired days, then objects of days that are not in the database, such as those whose removal failed. */
async function prune({ db, objects, limits }: StoredPayloadsDeps, today: number): Promise<void> {
  const listed = (await payloadStore.days(db.read)).map(({ day, bytes }) => ({ day, size: bytes }))
  for (const { day } of daysToRemove(listed, limits(), today))
    await db.write(({ q }) => payloadStore.removeDay(q, day), { evenWhenFull: true })
  if (objects === null) return
  const kept = new Set((await payloadStore.days(db.read)).map(({ day }) => day))
  for (const day of await objects.days()) {
    // An instance may be about to store the first payload of today, or of yesterday at midnight.
    if (day < today - 1 && !kept.has(day)) await objects.removeDay(day)
  }
}
