import { crc32 } from 'node:zlib'

/*
 * A segment: the index of a range of one payload file. Written once, then only read or removed.
 *
 *   'PDCONT01'
 *   blocks      documents, 1,024 per block: f64 created_at · f64 run · f64 offset · u32 length, newest first
 *               terms in order, about 16 KiB per block: varint length · UTF-8 · varint count ·
 *               varint length · the numbers of the documents as varints, each minus the one before
 *   directory   JSON
 *   trailer     u32 length of the directory · u32 crc of the directory · 'PDCONT01'
 *
 * Each block ends with the CRC-32 of its content, little-endian. A document is a captured run; its number is
 * its position in the segment.
 */
export const magic = Buffer.from('PDCONT01', 'latin1')
export const trailerBytes = 16
export const documentBytes = 28
export const documentsPerBlock = 1024
export const termBlockBytes = 16 * 1024
/** Maximum number of documents of a segment: numbers fit into 16 bits. */
export const maxDocuments = 65_536

/** The position of a run in the log. */
export type Key = { readonly created_at: number; readonly id: number }
/** A captured run, with the line of its payload in the file of the day. */
export type Document = Key & { readonly offset: number; readonly length: number }

/** Orders keys by time, then id. */
export const compareKeys = (a: Key, b: Key): number => a.created_at - b.created_at || a.id - b.id

/** CRC-32 of the first and the last bytes of a range of a payload file, to detect that the file was replaced. */
export type Fingerprint = { readonly head: number; readonly tail: number }
export const fingerprintBytes = 4096

/** The start of a block and the length of its content. */
export type BlockAt = { readonly at: number; readonly length: number }
export type Directory = {
  readonly fingerprint: Fingerprint
  readonly count: number
  readonly newest: Key | null
  readonly oldest: Key | null
  readonly documents: readonly BlockAt[]
  /** Blocks of terms, each with its first term. */
  readonly terms: readonly (BlockAt & { readonly first: string })[]
}

/** The files of the index: `2026-11-21.0-4096.idx` covers the first 4,096 bytes of the payloads of a day. */
const namePattern = /^(\d{4}-\d{2}-\d{2})\.(\d+)-(\d+)\.idx$/

export type Range = { readonly from: number; readonly to: number }

export const segmentName = (date: string, { from, to }: Range): string => `${date}.${from}-${to}.idx`

export function readSegmentName(name: string): (Range & { readonly date: string }) | null {
  const [, date, from, to] = namePattern.exec(name) ?? []
  return date === undefined ? null : { date, from: Number(from), to: Number(to) }
}

export function encodeDocuments(documents: readonly Document[]): Buffer {
  const bytes = Buffer.allocUnsafe(documents.length * documentBytes)
  for (const [index, { created_at: at, id, offset, length }] of documents.entries()) {
    const start = index * documentBytes
    bytes.writeDoubleLE(at, start)
    bytes.writeDoubleLE(id, start + 8)
    bytes.writeDoubleLE(offset, start + 16)
    bytes.writeUInt32LE(length, start + 24)
  }
  return bytes
}

/** Returns the document at a position of a block. */
export function documentAt(block: Buffer, index: number): Document {
  const start = index * documentBytes
  return {
    created_at: block.readDoubleLE(start),
    id: block.readDoubleLE(start + 8),
    offset: block.readDoubleLE(start + 16),
    length: block.readUInt32LE(start + 24),
  }
}

/** Returns the last bytes of a segment: directory and trailer. */
export function encodeDirectory(directory: Directory): Buffer {
  const json = Buffer.from(JSON.stringify(directory))
  const trailer = Buffer.allocUnsafe(8)
  trailer.writeUInt32LE(json.length, 0)
  trailer.writeUInt32LE(crc32(json), 4)
  return Buffer.concat([json, trailer, magic])
}
