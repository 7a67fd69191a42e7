import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { open, rename, rm } from '../../../../disk/promises.ts'
import { isNoSpace } from '../../../../lib/no-space.ts'
import { fileNames, syncFolderSoon, temporaryOf } from '../format/folder.ts'
import { encodeHeader, RECORDS_AT, type SegmentHeader } from '../format/segment.ts'
import { assertOwned, type Fence, isOwned } from '../lock/fence.ts'
import { segmentFromReserve } from '../space/reserve.ts'

/**
 * Preallocates journal segments: writes them full of zeros and syncs them, so that appending needs no new
 * disk space.
 */
export type Room = {
  /**
   * Returns a segment with space for a record of `bytes`. Throws the disk's error if there is no space. On a
   * full disk only an essential caller gets the disk reserve, or a small segment.
   */
  take(bytes: number, isEssential: boolean): Promise<SegmentHeader & { readonly file: string }>
  /**
   * Preallocates the next segment in the background. Ignores a failure, because the next `take` tries again.
   */
  prepare(): void
  /** Preallocates the next segment. Rejects with the disk's error. */
  ready(): Promise<void>
  close(): Promise<void>
}

const ZEROS = Buffer.alloc(1024 * 1024)
/** Sizes to try if the disk has no space for a normal segment, in bytes. */
const SMALL_SEGMENTS = [1024 * 1024, 256 * 1024, 64 * 1024]

export function createRoom(options: {
  readonly folder: string
  readonly firstSequence: number
  readonly segmentBytes: number
  readonly fence: Fence
  /** The data folder with the disk reserve. Undefined for a store without a reserve. */
  readonly dataDir: string | undefined
  /** Called when the disk has no space. */
  readonly onFull: (error: unknown) => void
  readonly isFull: () => boolean
}): Room {
  const { folder, segmentBytes, fence } = options
  let sequence = options.firstSequence
  let ready: Promise<SegmentHeader & { readonly file: string }> | undefined

  async function make(capacity: number): Promise<SegmentHeader & { readonly file: string }> {
    const { epoch, instance } = fence
    const header: SegmentHeader = { salt: randomInt(1, 2 ** 32), sequence, capacity, epoch, instance }
    const file = join(folder, fileNames.segment(sequence))
    const temporary = temporaryOf(file)
    try {
      const handle = await open(temporary, 'w', 0o600)
      try {
        // Uses libuv's thread pool rather than the journal's thread, so that no sync waits for it.
        for (let at = 0; at < capacity; at += ZEROS.length) {
          const length = Math.min(ZEROS.length, capacity - at)
          await handle.write(ZEROS, 0, length, at)
        }
        await handle.write(encodeHeader(header), 0, undefined, 0)
        await handle.sync()
      } finally {
        await handle.close()
      }
      assertOwned(fence)
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

  async function takeUsual(needed: number): Promise<SegmentHeader & { readonly file: string }> {
    const rounded = Math.ceil(needed / ZEROS.length) * ZEROS.length
    const capacity = needed <= segmentBytes ? segmentBytes : rounded
    const segment = await prepare(capacity)
    ready = undefined
    if (segment.capacity >= needed) return segment
    // The segment is too small for this record. It remains on disk unused, and its number is not used again.
    return make(capacity)
  }

  function fromReserve(needed: number): (SegmentHeader & { readonly file: string }) | null {
    if (options.dataDir === undefined) return null
    const file = join(folder, fileNames.segment(sequence))
    const { epoch, instance } = fence
    const header = { salt: randomInt(1, 2 ** 32), sequence, epoch, instance }
    assertOwned(fence)
    const made = segmentFromReserve(options.dataDir, folder, file, header, needed)
    if (made === null) return null
    sequence += 1
    return { ...made, file }
  }

  /** Throws `refusal` if there is no space for a small segment either. */
  async function makeSmall(
    needed: number,
    refusal: unknown,
  ): Promise<SegmentHeader & { readonly file: string }> {
    for (const capacity of SMALL_SEGMENTS) {
      if (capacity >= segmentBytes || capacity < needed) continue
      try {
        return await make(capacity)
      } catch (error) {
        if (!isNoSpace(error)) throw error
      }
    }
    throw refusal
  }

  return {
    async take(bytes, isEssential) {
      const needed = RECORDS_AT + bytes
      try {
        return await takeUsual(needed)
      } catch (error) {
        if (!isNoSpace(error)) throw error
        options.onFull(error)
        if (!isEssential) throw error
        return fromReserve(needed) ?? (await makeSmall(needed, error))
      }
    },
    prepare() {
      // On a full disk the remaining space is for essential writes.
      if (!options.isFull()) prepare().catch(() => {})
    },
    async ready() {
      await prepare()
    },
    async close() {
      const spare = await ready?.catch(() => undefined)
      // After a takeover, the file may belong to the next owner.
      if (spare !== undefined && isOwned(fence)) await rm(spare.file, { force: true })
    },
  }
}
