import { crc32 } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { closeSync, fstatSync, openSync, readSync } from '../../../../disk/fs.ts'
import { isMissing } from '../../../../lib/files/is-missing.ts'
import {
  type BlockAt,
  type Directory,
  type Document,
  documentAt,
  documentBytes,
  documentsPerBlock,
  magic,
  type Range,
  trailerBytes,
} from './format.ts'
import type { Source } from './source.ts'
import { ByteReader, decodeNumbers } from './varints.ts'
import type { TermDocuments } from './write.ts'

/** A segment whose content does not match its checksums, or that is missing. */
export class DamagedSegment extends Error {
  readonly file: string
  constructor(file: string, reason: string) {
    super(`The content index ${file} is damaged: ${reason}`)
    this.name = 'DamagedSegment'
    this.file = file
  }
}

/** A cache of blocks and directories. Its maximum size bounds the memory of searches. */
export type BlockCache = LRUCache<string, Buffer | Directory>
const maxCachedBytes = 32 * 1024 * 1024
/** Estimated memory of a directory, as a multiple of its length as JSON. */
const directoryFactor = 3

export const createBlockCache = (): BlockCache => new LRUCache({ maxSize: maxCachedBytes })

export type Segment = Source &
  Range & {
    readonly file: string
    readonly fingerprint: Directory['fingerprint']
    /** Yields all terms in order. */
    terms(): Generator<TermDocuments>
  }

/** Opens a segment. Throws `DamagedSegment`. No file remains open between two calls. */
export function openSegment(file: string, range: Range, cache: BlockCache): Segment {
  const { count, newest, oldest, fingerprint } = readDirectory(file, cache)
  const directory = () => readDirectory(file, cache)
  const block = (place: BlockAt) => readBlock(file, place, cache)
  return {
    file,
    ...range,
    fingerprint,
    name: file,
    count,
    newest,
    oldest,
    documentAt: (number) => readDocument(file, directory(), block, number),
    *postings(term) {
      const found = blocksFrom(directory(), term)[0]
      if (found === undefined) return
      for (const entry of entriesOf(block(found))) {
        if (entry.term > term) return
        if (entry.term === term) yield entry.documents()
      }
    },
    *withPrefix(prefix) {
      for (const place of blocksFrom(directory(), prefix)) {
        for (const entry of entriesOf(block(place))) {
          if (entry.term < prefix) continue
          if (!entry.term.startsWith(prefix)) return
          yield entry.documents()
        }
      }
    },
    *terms() {
      // Not cached: a merge reads everything once.
      for (const place of directory().terms) {
        for (const { term, documents } of entriesOf(readBlockUncached(file, place))) {
          yield { term, documents: documents() }
        }
      }
    },
  }
}

function readDocument(
  file: string,
  { documents }: Directory,
  block: (place: BlockAt) => Buffer,
  number: number,
): Document {
  const place = documents[Math.floor(number / documentsPerBlock)]
  const index = number % documentsPerBlock
  if (place === undefined || index * documentBytes >= place.length)
    throw new DamagedSegment(file, `document ${number} does not exist`)
  return documentAt(block(place), index)
}

/** Returns the blocks that may contain `term` or a later term, in order. */
function blocksFrom({ terms }: Directory, term: string): Directory['terms'] {
  let [low, high] = [0, terms.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((terms[middle]?.first ?? '') <= term) low = middle + 1
    else high = middle
  }
  return terms.slice(Math.max(0, low - 1))
}

function* entriesOf(block: Buffer) {
  const reader = new ByteReader(block)
  while (!reader.isAtEnd) {
    const term = reader.text()
    const count = reader.varint()
    const bytes = reader.bytes()
    yield { term, documents: () => decodeNumbers(bytes, count) }
  }
}

function readDirectory(file: string, cache: BlockCache): Directory {
  const cached = cache.get(file)
  if (cached !== undefined && !Buffer.isBuffer(cached)) return cached
  return withFile(file, (handle) => {
    const { size } = fstatSync(handle)
    if (size < magic.length + trailerBytes) throw new DamagedSegment(file, 'it is too short')
    const trailer = readAt(file, handle, size - trailerBytes, trailerBytes)
    const length = trailer.readUInt32LE(0)
    const start = size - trailerBytes - length
    if (!trailer.subarray(8).equals(magic) || start < magic.length)
      throw new DamagedSegment(file, 'it has no end')
    const json = readAt(file, handle, start, length)
    if (crc32(json) !== trailer.readUInt32LE(4)) throw new DamagedSegment(file, 'the directory changed')
    // The checksum proves that `writeSegment` wrote this.
    const directory = JSON.parse(json.toString('utf8')) as Directory
    cache.set(file, directory, { size: Math.max(1, length * directoryFactor) })
    return directory
  })
}

function readBlock(file: string, place: BlockAt, cache: BlockCache): Buffer {
  const name = `${file}#${place.at}`
  const cached = cache.get(name)
  if (Buffer.isBuffer(cached)) return cached
  const block = readBlockUncached(file, place)
  cache.set(name, block, { size: Math.max(1, block.length) })
  return block
}

const readBlockUncached = (file: string, { at, length }: BlockAt): Buffer =>
  withFile(file, (handle) => {
    const bytes = readAt(file, handle, at, length + 4)
    const content = bytes.subarray(0, length)
    if (crc32(content) !== bytes.readUInt32LE(length)) throw new DamagedSegment(file, `block ${at} changed`)
    return content
  })

function withFile<T>(file: string, read: (handle: number) => T): T {
  const handle = openExisting(file)
  try {
    return read(handle)
  } finally {
    closeSync(handle)
  }
}

function openExisting(file: string): number {
  try {
    return openSync(file, 'r')
  } catch (error) {
    if (isMissing(error)) throw new DamagedSegment(file, 'it is missing')
    throw error
  }
}

function readAt(file: string, handle: number, at: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length)
  for (let done = 0; done < length; ) {
    const read = readSync(handle, bytes, done, length - done, at + done)
    if (read === 0) throw new DamagedSegment(file, 'it ends too early')
    done += read
  }
  return bytes
}
