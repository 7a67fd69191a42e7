import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { syncFolderAsync, temporaryOf } from '../../../../disk/durable.ts'
import { open, rename, rm } from '../../../../disk/promises.ts'
import { isNoSpace } from '../../../../lib/files/no-space.ts'
import { fileNames } from '../format/folder.ts'
import { encodeHeader, RECORDS_AT, type SegmentHeader } from '../format/segment.ts'
import { assertOwned, type Fence, isOwned } from '../lock/fence.ts'
import { segmentFromReserve } from '../space/reserve.ts'

export type AllocatedSegment = SegmentHeader & { readonly file: string }

/**
 * Preallocates journal segments: writes them full of zeros and syncs them, so that appending needs no new
 * disk space.
 */
export type SegmentAllocator = {
  /**
   * Returns a segment with space for a record of `bytes`. Throws the disk's error if there is no space. On a
   * full disk only an essential caller gets the disk reserve, or a small segment.
   */
  take(bytes: number, isEssential: boolean): Promise<AllocatedSegment>
  /**
   * Preallocates the next segment in the background. Ignores a failure, because the next `take` tries again.
   */
  prepare(): void
  /** Preallocates the next segment. Rejects with the disk's error. */
  ready(): Promise<void>
  close(): Promise<void>
}

export type AllocatorOptions = {
  readonly folder: string
  readonly firstSequence: number
  readonly segmentBytes: number
  readonly fence: Fence
  /** The data folder with the disk reserve. Undefined for a store without a reserve. */
  readonly dataDir: string | undefined
  /** Called when the disk has no space. */
  readonly onFull: (error: unknown) => void
  readonly isFull: () => boolean
}

const ZEROS = Buffer.alloc(1024 * 1024)
/** Sizes to try if the disk has no space for a normal segment, in bytes. */
const SMALL_SEGMENTS = [1024 * 1024, 256 * 1024, 64 * 1024]

type State = {
  readonly options: AllocatorOptions
  /** Number of the next segment. */
  sequence: number
  /** The preallocated segment, or the attempt to make it. */
  ready: Promise<AllocatedSegment> | undefined
}

export function createSegmentAllocator(options: AllocatorOptions): SegmentAllocator {
  const state: State = { options, sequence: options.firstSequence, ready: undefined }
  return {
    take: (bytes, isEssential) => take(state, RECORDS_AT + bytes, isEssential),
    prepare() {
      // On a full disk the remaining space is for essential writes.
      if (!options.isFull()) preallocate(state, options.segmentBytes).catch(() => {})
    },
    async ready() {
      await preallocate(state, options.segmentBytes)
    },
    async close() {
      const spare = await state.ready?.catch(() => undefined)
      // After a takeover, the file may belong to the next owner.
      if (spare !== undefined && isOwned(options.fence)) await rm(spare.file, { force: true })
    },
  }
}

async function take(state: State, needed: number, isEssential: boolean): Promise<AllocatedSegment> {
  try {
    return await takePreallocated(state, needed)
  } catch (error) {
    if (!isNoSpace(error)) throw error
    state.options.onFull(error)
    if (!isEssential) throw error
    return takeReserve(state, needed) ?? (await allocateSmall(state, needed, error))
  }
}

async function takePreallocated(state: State, needed: number): Promise<AllocatedSegment> {
  const { segmentBytes } = state.options
  const rounded = Math.ceil(needed / ZEROS.length) * ZEROS.length
  const capacity = needed <= segmentBytes ? segmentBytes : rounded
  const segment = await preallocate(state, capacity)
  state.ready = undefined
  if (segment.capacity >= needed) return segment
  // The segment is too small for this record. It remains on disk unused, and its number is not used again.
  return allocate(state, capacity)
}

function preallocate(state: State, capacity: number): Promise<AllocatedSegment> {
  if (state.ready !== undefined) return state.ready
  const allocation = allocate(state, capacity)
  state.ready = allocation
  allocation.catch(() => {
    if (state.ready === allocation) state.ready = undefined
  })
  return allocation
}

async function allocate(state: State, capacity: number): Promise<AllocatedSegment> {
  const { folder, fence } = state.options
  const header: SegmentHeader = { ...nextHeader(state), capacity }
  const file = join(folder, fileNames.segment(header.sequence))
  const temporary = temporaryOf(file)
  try {
    await writeZeros(temporary, header)
    assertOwned(fence)
    await rename(temporary, file)
    await syncFolderAsync(folder)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  state.sequence += 1
  return { ...header, file }
}

async function writeZeros(file: string, header: SegmentHeader): Promise<void> {
  const handle = await open(file, 'w', 0o600)
  try {
    // Use libuv's thread pool rather than the journal's thread, so that no sync waits for this.
    for (let at = 0; at < header.capacity; at += ZEROS.length) {
      const length = Math.min(ZEROS.length, header.capacity - at)
      await handle.write(ZEROS, 0, length, at)
    }
    await handle.write(encodeHeader(header), 0, undefined, 0)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function nextHeader({ options, sequence }: State): Omit<SegmentHeader, 'capacity'> {
  const { epoch, instance } = options.fence
  return { salt: randomInt(1, 2 ** 32), sequence, epoch, instance }
}

function takeReserve(state: State, needed: number): AllocatedSegment | null {
  const { dataDir, folder, fence } = state.options
  if (dataDir === undefined) return null
  const file = join(folder, fileNames.segment(state.sequence))
  const header = nextHeader(state)
  assertOwned(fence)
  const segment = segmentFromReserve(dataDir, folder, file, header, needed)
  if (segment === null) return null
  state.sequence += 1
  return { ...segment, file }
}

/** Throws `refusal` if there is no space for a small segment either. */
async function allocateSmall(state: State, needed: number, refusal: unknown): Promise<AllocatedSegment> {
  for (const capacity of SMALL_SEGMENTS) {
    if (capacity >= state.options.segmentBytes || capacity < needed) continue
    try {
      return await allocate(state, capacity)
    } catch (error) {
      if (!isNoSpace(error)) throw error
    }
  }
  throw refusal
}
