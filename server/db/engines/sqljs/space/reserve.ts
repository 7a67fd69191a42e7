import { join } from 'node:path'
import { syncFolder, syncFolderAsync } from '../../../../disk/durable.ts'
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from '../../../../disk/fs.ts'
import { open, rename, rm } from '../../../../disk/promises.ts'
import { isNoSpace } from '../../../../lib/files/no-space.ts'
import { messageOf } from '../../../../lib/text/message-of.ts'
import type { StoreLogger } from '../../../types.ts'
import { encodeHeader, type SegmentHeader } from '../format/segment.ts'

/*
 * disk-reserve.bin: disk space reserved for a full disk. Its blocks are allocated, so renaming it turns the
 * larger part into a journal segment, and no other process can take the space. The smaller part is released
 * to the file system, for the small files of the data folder.
 */
export const reserveName = 'disk-reserve.bin'
const MIB = 1024 * 1024
export const RESERVE_BYTES = 4 * MIB
const SEGMENT_BYTES = 3 * MIB
const ZEROS = Buffer.alloc(MIB)

/** Returns the size of a reserve in bytes; 0 if there is none or it cannot be used. */
function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}

export const hasReserve = (dataDir: string): boolean => sizeOf(join(dataDir, reserveName)) > 0

/** Writes the reserve full of zeros. Throws the disk's error, and then leaves no file. */
export async function createReserve(dataDir: string): Promise<void> {
  const file = join(dataDir, reserveName)
  const temporary = `${file}.tmp`
  try {
    const handle = await open(temporary, 'w', 0o600)
    try {
      for (let at = 0; at < RESERVE_BYTES; at += ZEROS.length) {
        await handle.write(ZEROS, 0, ZEROS.length, at)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
    await syncFolderAsync(dataDir)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** Sizes to try, in bytes. On a nearly full disk a smaller one still suffices for several starts. */
const START_BYTES = [64 * 1024, 32 * 1024, 16 * 1024]
const startName = 'start-reserve.bin'

/**
 * Reserves space for the small files that a start writes before it can release other space. Logs a failure.
 */
export function ensureStartReserve(dataDir: string, logger: StoreLogger): void {
  const file = join(dataDir, startName)
  try {
    if (sizeOf(file) === 0) writeStartReserve(file)
  } catch (error) {
    logger.warn({ reason: messageOf(error) }, 'the reserve for a start on a full disk could not be created')
  }
}

function writeStartReserve(file: string): void {
  for (const bytes of START_BYTES) {
    const handle = openSync(`${file}.tmp`, 'w', 0o600)
    try {
      writeSync(handle, Buffer.alloc(bytes), 0, bytes, 0)
      fsyncSync(handle)
      renameSync(`${file}.tmp`, file)
      return
    } catch (error) {
      if (!isNoSpace(error)) throw error
      rmSync(`${file}.tmp`, { force: true })
    } finally {
      closeSync(handle)
    }
  }
}

/** Releases space for a start. Returns false if nothing is reserved. */
export function releaseForStart(dataDir: string): boolean {
  const file = join(dataDir, startName)
  const existed = sizeOf(file) > 0
  rmSync(file, { force: true })
  return releaseSmallPart(dataDir) || existed
}

/** Releases the part for small files. Returns false if nothing is reserved. */
function releaseSmallPart(dataDir: string): boolean {
  const file = join(dataDir, reserveName)
  if (sizeOf(file) <= SEGMENT_BYTES) return false
  const handle = openSync(file, 'r+')
  try {
    ftruncateSync(handle, SEGMENT_BYTES)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  return true
}

/**
 * Turns the reserve into the segment `file` with space for `bytes`. Returns null if there is no reserve or it
 * is too small.
 */
export function segmentFromReserve(
  dataDir: string,
  folder: string,
  file: string,
  header: Omit<SegmentHeader, 'capacity'>,
  bytes: number,
): SegmentHeader | null {
  if (!hasReserve(dataDir) || bytes > SEGMENT_BYTES) return null
  releaseSmallPart(dataDir)
  const source = join(dataDir, reserveName)
  const segment: SegmentHeader = { ...header, capacity: SEGMENT_BYTES }
  const encoded = encodeHeader(segment)
  const handle = openSync(source, 'r+')
  try {
    writeSync(handle, encoded, 0, encoded.length, 0)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(source, file)
  syncFolder(folder)
  syncFolder(dataDir)
  return segment
}
