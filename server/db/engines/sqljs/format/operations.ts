import type { SqlValue } from '../../../values.ts'

/** One statement of a transaction in the journal. */
export type Operation = { readonly sql: string; readonly parameters: readonly SqlValue[] }

/** The SQL texts a segment already contains, each with its number. */
export type Dictionary = ReadonlyMap<string, number>

export type Encoded = {
  /** The first `headroom` bytes are reserved for the frame; the body follows. */
  readonly record: Buffer
  /** Texts that this record defines. The caller adds them to the dictionary when it appends the record. */
  readonly added: readonly string[]
}

/*
 * Body of a record, numbers as LEB128 varints:
 *   1 n text            define SQL text number n of this segment
 *   2 n count values…   run text n with these parameters
 *   3 text count values…  run this text, which has no number
 * Values: 0 NULL · 1 integer (zigzag) · 2 float (8 bytes) · 3 text · 4 blob; text and blob begin with their
 * length.
 */
const DEFINE = 1
const RUN = 2
const RUN_TEXT = 3

const NULL = 0
const INTEGER = 1
const FLOAT = 2
const TEXT = 3
const BLOB = 4

/**
 * Maximum number of texts. Limits the memory of readers: texts that differ on each call (lists of varying
 * length) would fill it.
 */
const MAX_DICTIONARY_SIZE = 1000
/** Maximum length of a numbered text, in UTF-16 code units. */
const MAX_DEFINED_TEXT_LENGTH = 6000

/** Encodes the statements of a transaction. New texts are numbered after those in `known`. */
export function encodeOperations(operations: readonly Operation[], known: Dictionary, headroom = 0): Encoded {
  const out = createWriter(headroom)
  const added: string[] = []
  const addedNumbers = new Map<string, number>()
  for (const { sql, parameters } of operations) {
    let number = known.get(sql) ?? addedNumbers.get(sql)
    if (
      number === undefined &&
      known.size + added.length < MAX_DICTIONARY_SIZE &&
      sql.length <= MAX_DEFINED_TEXT_LENGTH
    ) {
      number = known.size + added.length
      added.push(sql)
      addedNumbers.set(sql, number)
      out.byte(DEFINE)
      out.varint(number)
      out.text(sql)
    }
    if (number === undefined) {
      out.byte(RUN_TEXT)
      out.text(sql)
    } else {
      out.byte(RUN)
      out.varint(number)
    }
    out.varint(parameters.length)
    for (const value of parameters) writeValue(out, value)
  }
  return { record: out.done(), added }
}

/**
 * Decodes a body. `dictionary` belongs to the segment and grows with each record: decode records in order,
 * even those that are not applied.
 */
export function decodeOperations(body: Buffer, dictionary: Map<number, string>): Operation[] {
  const operations: Operation[] = []
  const reader = createReader(body)
  while (!reader.isAtEnd()) {
    const tag = reader.byte()
    if (tag === DEFINE) {
      const number = reader.varint()
      dictionary.set(number, reader.slice().toString('utf8'))
      continue
    }
    if (tag !== RUN && tag !== RUN_TEXT) throw new RangeError(`unknown operation ${tag}`)
    const sql = tag === RUN ? dictionary.get(reader.varint()) : reader.slice().toString('utf8')
    if (sql === undefined) throw new RangeError('a statement text is missing')
    const parameters = new Array<SqlValue>(reader.varint())
    for (let index = 0; index < parameters.length; index += 1) parameters[index] = readValue(reader)
    operations.push({ sql, parameters })
  }
  return operations
}

type Reader = ReturnType<typeof createReader>

/** Reads what a `Writer` wrote. Throws a `RangeError` at the end of `body`. */
function createReader(body: Buffer) {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = body.readUInt8(at++)
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  return {
    varint,
    byte: (): number => body.readUInt8(at++),
    double(): number {
      at += 8
      return body.readDoubleLE(at - 8)
    },
    slice(): Buffer {
      const length = varint()
      at += length
      if (at > body.length) throw new RangeError('a value ends after the end of its record')
      return body.subarray(at - length, at)
    },
    isAtEnd: (): boolean => at >= body.length,
  }
}

function readValue(reader: Reader): SqlValue {
  const type = reader.byte()
  if (type === NULL) return null
  if (type === INTEGER) {
    const zigzag = reader.varint()
    return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
  }
  if (type === FLOAT) return reader.double()
  if (type === TEXT) return reader.slice().toString('utf8')
  if (type === BLOB) return new Uint8Array(reader.slice())
  throw new RangeError(`unknown value type ${type}`)
}

type Writer = ReturnType<typeof createWriter>

/** A buffer that grows. Numbers are LEB128 varints; texts and blobs begin with their length. */
function createWriter(headroom: number) {
  let buffer = Buffer.allocUnsafe(1024)
  let at = headroom
  const ensureSpace = (bytes: number): void => {
    if (at + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  const varint = (value: number): void => {
    ensureSpace(8)
    let rest = value
    while (rest >= 128) {
      buffer[at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    buffer[at++] = rest
  }
  return {
    varint,
    byte(value: number): void {
      ensureSpace(1)
      buffer[at++] = value
    },
    double(value: number): void {
      ensureSpace(8)
      at = buffer.writeDoubleLE(value, at)
    },
    text(value: string): void {
      const length = Buffer.byteLength(value)
      varint(length)
      ensureSpace(length)
      at += buffer.write(value, at, length, 'utf8')
    },
    blob(value: Uint8Array): void {
      varint(value.length)
      ensureSpace(value.length)
      buffer.set(value, at)
      at += value.length
    },
    done: (): Buffer => buffer.subarray(0, at),
  }
}

function writeValue(out: Writer, value: SqlValue): void {
  if (value === null) out.byte(NULL)
  else if (typeof value === 'string') {
    out.byte(TEXT)
    out.text(value)
  } else if (typeof value !== 'number') {
    out.byte(BLOB)
    out.blob(value)
  } else if (Number.isInteger(value) && Math.abs(value) < 2 ** 52) {
    // Zigzag doubles the number, and integers are exact up to 2^53.
    out.byte(INTEGER)
    out.varint(value >= 0 ? value * 2 : -value * 2 - 1)
  } else {
    out.byte(FLOAT)
    out.double(value)
  }
}
