import { randomInt } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Faults, strike } from './faults.ts'
import { fileNames, syncFolderSoon } from './files.ts'
import { encodeHeader, RECORDS_AT, type SegmentHeader } from './segment.ts'

/** Journal segments made ready ahead of need: written full of zeros and synced, so that appending takes no new room. */
export type Room = {
  /** A segment that holds a record of `bytes`; throws what the disk said when there is no room. */
  take(bytes: number): Promise<SegmentHeader & { readonly file: string }>
  /** Makes the next one ready in the background; a failure waits for the next `take` to be told. */
  prepare(): void
  close(): Promise<void>
}

const ZEROS = Buffer.alloc(1024 * 1024)

export function createRoom(options: {
  readonly folder: string
  readonly firstSequence: number
  readonly segmentBytes: number
  readonly faults: Faults | undefined
}): Room {
  const { folder, segmentBytes, faults } = options
  let sequence = options.firstSequence
  let ready: Promise<SegmentHeader & { readonly file: string }> | undefined

  async function make(capacity: number): Promise<SegmentHeader & { readonly file: string }> {
    const header: SegmentHeader = { salt: randomInt(1, 2 ** 32), sequence, capacity }
    const file = join(folder, fileNames.segment(sequence))
    const temporary = `${file}.tmp`
    try {
      const handle = await open(temporary, 'w', 0o600)
      try {
        // Through libuv's pool, not the journal's thread: nobody waits for it but the next segment.
        for (let at = 0; at < capacity; at += ZEROS.length) {
          strike(faults, 'journal.reserve')
          const length = Math.min(ZEROS.length, capacity - at)
          await handle.write(ZEROS, 0, length, at)
        }
        await handle.write(encodeHeader(header), 0, undefined, 0)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temporary, file)
      await syncFolderSoon(folder)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    sequence += 1
    return { ...header, file }
  }

  function prepare(capacity = segmentBytes): Promise<SegmentHeader & { readonly file: string }> {
    if (ready !== undefined) return ready
    const made = make(capacity)
    ready = made
    made.catch(() => {
      if (ready === made) ready = undefined
    })
    return made
  }

  return {
    async take(bytes) {
      const needed = RECORDS_AT + bytes
      const rounded = Math.ceil(needed / ZEROS.length) * ZEROS.length
      const capacity = needed <= segmentBytes ? segmentBytes : rounded
      const segment = await prepare(capacity)
      ready = undefined
      if (segment.capacity >= needed) return segment
      // Too small for this one; it stays on disk unused, and its number with it.
      return make(capacity)
    },
    prepare() {
      prepare().catch(() => {})
    },
    async close() {
      const spare = await ready?.catch(() => undefined)
      if (spare !== undefined) await rm(spare.file, { force: true })
    },
  }
}
