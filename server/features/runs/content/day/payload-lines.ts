import { crc32 } from 'node:zlib'
import { closeSync, openSync, readSync } from '../../../../disk/fs.ts'
import { isMissing } from '../../../../lib/files/is-missing.ts'
import { type LinePayload, readLine } from '../../payloads/payload-line.ts'
import { type Fingerprint, fingerprintBytes, type Range } from '../segment/format.ts'

/** A line of a payload file that can be read, with its position. */
export type PayloadLine = LinePayload & {
  readonly offset: number
  readonly length: number
  readonly text: string
}

const chunkBytes = 1024 * 1024
/** A longer line is not a payload. */
const maxLineBytes = 8 * 1024 * 1024
const newline = 10
/** The beginning of a line. Within a line it occurs only in an object of the input. */
const lineStart = /\{"(?:owner|input)":/g

/** Returns a part of a file; less if the file is shorter, nothing if it does not exist. */
export function readPart(file: string, from: number, length: number): Buffer {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0)
    throw error
  }
  try {
    const bytes = Buffer.allocUnsafe(length)
    let done = 0
    for (;;) {
      const read = readSync(handle, bytes, done, length - done, from + done)
      done += read
      if (read === 0 || done === length) return bytes.subarray(0, done)
    }
  } finally {
    closeSync(handle)
  }
}

export function fingerprintOf(file: string, { from, to }: Range): Fingerprint {
  const length = Math.min(fingerprintBytes, to - from)
  return { head: crc32(readPart(file, from, length)), tail: crc32(readPart(file, to - length, length)) }
}

/** Reads whole lines from a position up to about 1 MiB. `to` is the end of what was read. */
export function readLines(file: string, { from, to }: Range): { lines: PayloadLine[]; to: number } {
  let size = Math.min(chunkBytes, to - from)
  for (;;) {
    const bytes = readPart(file, from, size)
    const isLast = from + size >= to || bytes.length < size
    const end = isLast ? bytes.length : bytes.lastIndexOf(newline) + 1
    if (end > 0 || isLast || size >= maxLineBytes) {
      // A file that is shorter than expected has nothing else to index.
      const next = isLast ? to : from + (end === 0 ? size : end)
      return { lines: linesIn(bytes.subarray(0, end), from), to: next }
    }
    size = Math.min(size * 2, to - from)
  }
}

function linesIn(bytes: Buffer, from: number): PayloadLine[] {
  const lines: PayloadLine[] = []
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(newline, start)
    const end = found === -1 ? bytes.length : found + 1
    const line = lineAt(bytes.subarray(start, end))
    if (line !== null) lines.push({ ...line, offset: from + start + line.offset })
    start = end
  }
  return lines
}

/** Reads a line. After a crash, the remains of an unfinished line may precede it. */
function lineAt(bytes: Buffer): PayloadLine | null {
  const text = bytes.toString('utf8')
  const whole = readLine(text)
  if (whole !== null) return { ...whole, offset: 0, length: bytes.length, text }
  for (const { index } of text.matchAll(lineStart)) {
    const rest = text.slice(index)
    const line = index === 0 ? null : readLine(rest)
    if (line === null) continue
    const length = Buffer.byteLength(rest)
    return { ...line, offset: bytes.length - length, length, text: rest }
  }
  return null
}
