import { crc32 } from 'node:zlib'
import { readFileSync } from '../../../../disk/fs.ts'
import { sequenceOf } from './folder.ts'

/*
 * A journal segment, little-endian:
 *
 *   0      header: 'PDJRNL01' · u32 salt · u32 sequence · f64 capacity · u32 crc of what precedes ·
 *          u32 0 · f64 epoch · u32 instance · u32 crc of the header (0.1 wrote and reads the first 28 bytes)
 *   512    mark A  }  written alternately, so that a torn write leaves the other: f64 count · f64 start ·
 *   1024   mark B  }  f64 offset · f64 transaction · u32 isClosed · u32 crc seeded with the salt
 *   4096   records, one per transaction: u32 length of body · u32 crc · f64 transaction · body (operations.ts)
 *
 * The whole file is filled with zeros and synced before its first use, so an append needs no new disk space.
 * `start` is the last transaction before the segment. A mark proves that everything below `offset` (up to
 * `transaction`) was synced. So damage below the mark is corruption. Damage above it is the tail of a group
 * that was never acknowledged, and is cut off. A segment without a mark was never used. A closed segment ends
 * exactly at its mark. Checksums are seeded with the salt, so leftover bytes of another file are never valid
 * records.
 */
export const RECORDS_AT = 4096
export const FRAME_BYTES = 16
const MAGIC = 'PDJRNL01'
const HEADER_BYTES = 48
const MARK_SLOTS = [512, 1024] as const
const MARK_BYTES = 40

export type SegmentHeader = {
  readonly salt: number
  readonly sequence: number
  readonly capacity: number
  /** The owner that wrote the segment (lock/claims.ts); both are 0 in a segment of version 0.1. */
  readonly epoch: number
  readonly instance: number
}

/** A proof of what was synced; see the format above. `count` orders the marks of a segment. */
export type Mark = {
  readonly count: number
  readonly start: number
  readonly offset: number
  readonly transaction: number
  readonly isClosed: boolean
}

export function encodeHeader(header: SegmentHeader): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES)
  bytes.write(MAGIC, 0, 'latin1')
  bytes.writeUInt32LE(header.salt, 8)
  bytes.writeUInt32LE(header.sequence, 12)
  bytes.writeDoubleLE(header.capacity, 16)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24)
  bytes.writeDoubleLE(header.epoch, 32)
  bytes.writeUInt32LE(header.instance, 40)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 44)), 44)
  return bytes
}

/** Encodes a mark. `at` is its offset in the file. */
export function encodeMark(mark: Mark, salt: number): { bytes: Buffer; at: number } {
  const bytes = Buffer.alloc(MARK_BYTES)
  bytes.writeDoubleLE(mark.count, 0)
  bytes.writeDoubleLE(mark.start, 8)
  bytes.writeDoubleLE(mark.offset, 16)
  bytes.writeDoubleLE(mark.transaction, 24)
  bytes.writeUInt32LE(mark.isClosed ? 1 : 0, 32)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 36), salt), 36)
  return { bytes, at: MARK_SLOTS[mark.count % 2 === 0 ? 0 : 1] }
}

/** Writes the frame in front of a record's body. */
export function writeFrame(record: Buffer, transaction: number, salt: number): void {
  record.writeUInt32LE(record.length - FRAME_BYTES, 0)
  record.writeDoubleLE(transaction, 8)
  record.writeUInt32LE(checksum(record, salt), 4)
}

function checksum(record: Buffer, salt: number): number {
  return crc32(record.subarray(8), crc32(record.subarray(0, 4), salt))
}

export type SegmentRecord = { readonly transaction: number; readonly body: Buffer; readonly end: number }

export type Segment = {
  readonly header: SegmentHeader
  /** Undefined if the segment was preallocated and never used. */
  readonly mark: Mark | undefined
  readonly bytes: Buffer
  /** True if the header is damaged and the known salt was used instead. */
  readonly isHeaderDamaged: boolean
}

function decodeHeader(bytes: Buffer): SegmentHeader | undefined {
  if (bytes.toString('latin1', 0, 8) !== MAGIC) return undefined
  if (bytes.readUInt32LE(24) !== crc32(bytes.subarray(0, 24))) return undefined
  const hasOwner = bytes.readUInt32LE(44) === crc32(bytes.subarray(0, 44))
  return {
    salt: bytes.readUInt32LE(8),
    sequence: bytes.readUInt32LE(12),
    capacity: bytes.readDoubleLE(16),
    epoch: hasOwner ? bytes.readDoubleLE(32) : 0,
    instance: hasOwner ? bytes.readUInt32LE(40) : 0,
  }
}

/**
 * Reads a whole segment. Returns undefined if its header or both marks are damaged, or if its name has
 * another number. With a known salt a damaged header does no harm: the checksums of marks and records are
 * seeded with the salt, so they prove that the file is the right one.
 */
export function readSegment(file: string, knownSalt?: number): Segment | undefined {
  const bytes = readFileSync(file)
  if (bytes.length < RECORDS_AT) return undefined
  const intact = decodeHeader(bytes)
  if (intact === undefined && knownSalt === undefined) return undefined
  // Under a wrong number it would be replayed out of order, or removed as unused.
  if (intact !== undefined && (sequenceOf(file) || intact.sequence) !== intact.sequence) return undefined
  const header = intact ?? {
    salt: knownSalt ?? 0,
    sequence: sequenceOf(file),
    capacity: bytes.length,
    epoch: 0,
    instance: 0,
  }
  const { salt } = header
  const marks = MARK_SLOTS.map((at) => decodeMark(bytes.subarray(at, at + MARK_BYTES), salt))
  const mark = marks.filter((found) => found !== undefined).sort((a, b) => b.count - a.count)[0]
  // The first mark is synced before the first record is written.
  if (mark === undefined && (intact === undefined || !isBlank(bytes.subarray(RECORDS_AT)))) return undefined
  return { header, mark, bytes, isHeaderDamaged: intact === undefined }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.equals(Buffer.alloc(bytes.length))
}

function decodeMark(bytes: Buffer, salt: number): Mark | undefined {
  if (bytes.readUInt32LE(36) !== crc32(bytes.subarray(0, 36), salt)) return undefined
  const [count, start, offset, transaction] = [0, 8, 16, 24].map((at) => bytes.readDoubleLE(at))
  if (count === undefined || start === undefined || offset === undefined || transaction === undefined)
    return undefined
  // With some salts, the checksum of a slot of zeros is 0 and so matches. Real marks count from 1.
  if (count < 1) return undefined
  return { count, start, offset, transaction, isClosed: bytes.readUInt32LE(32) === 1 }
}

/** Yields the valid records in order. Stops at the first invalid one, or at the end of a closed segment. */
export function* recordsOf(segment: Segment): Generator<SegmentRecord, void> {
  const { bytes, header, mark } = segment
  if (mark === undefined) return
  const limit = mark.isClosed ? Math.min(mark.offset, bytes.length) : bytes.length
  let expected = mark.start + 1
  for (let at = RECORDS_AT; at + FRAME_BYTES <= limit; ) {
    const length = bytes.readUInt32LE(at)
    const end = at + FRAME_BYTES + length
    if (length === 0 || end > limit) return
    const record = bytes.subarray(at, end)
    if (record.readUInt32LE(4) !== checksum(record, header.salt)) return
    const transaction = record.readDoubleLE(8)
    if (transaction !== expected) return
    yield { transaction, body: record.subarray(FRAME_BYTES), end }
    expected += 1
    at = end
  }
}
