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
/** Limits the memory of readers: texts that differ on each call (lists of varying length) would fill it. */
const LARGEST_DICTIONARY = 1000
const LONGEST_DEFINED_TEXT = 6000

/** Encodes the statements of a transaction. New texts are numbered after those in `known`. */
export function encodeOperations(operations: readonly Operation[], known: Dictionary, headroom = 0): Encoded {
  const out = createWriter(headroom)
  const added: string[] = []
  const fresh = new Map<string, number>()
  for (const { sql, parameters } of operations) {
    let number = known.get(sql) ?? fresh.get(sql)
    if (
      number === undefined &&
      known.size + added.length < LARGEST_DICTIONARY &&
      sql.length <= LONGEST_DEFINED_TEXT
    ) {
      number = known.size + added.length
      added.push(sql)
      fresh.set(sql, number)
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
    for (const value of parameters) out.value(value)
  }
  return { record: out.done(), added }
}

/**
 * Decodes a body. `dictionary` belongs to the segment and grows with each record: decode records in order,
 * even those that are not applied.
 */
export function decodeOperations(body: Buffer, dictionary: Map<number, string>): Operation[] {
  const operations: Operation[] = []
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = body.readUInt8(at++)
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  const slice = (): Buffer => {
    const length = varint()
    at += length
    if (at > body.length) throw new RangeError('a value ends behind its record')
    return body.subarray(at - length, at)
  }
  const value = (): SqlValue => {
    const type = body.readUInt8(at++)
    if (type === 0) return null
    if (type === 1) {
      const zigzag = varint()
      return zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2
    }
    if (type === 2) {
      at += 8
      return body.readDoubleLE(at - 8)
    }
    if (type === 3) return slice().toString('utf8')
    if (type === 4) return new Uint8Array(slice())
    throw new RangeError(`unknown value type ${type}`)
  }
  while (at < body.length) {
    const tag = body.readUInt8(at++)
    if (tag === DEFINE) {
      const number = varint()
      dictionary.set(number, slice().toString('utf8'))
      continue
    }
    if (tag !== RUN && tag !== RUN_TEXT) throw new RangeError(`unknown operation ${tag}`)
    const sql = tag === RUN ? dictionary.get(varint()) : slice().toString('utf8')
    if (sql === undefined) throw new RangeError('a statement text is missing')
    const parameters = new Array<SqlValue>(varint())
    for (let index = 0; index < parameters.length; index += 1) parameters[index] = value()
    operations.push({ sql, parameters })
  }
  return operations
}

function createWriter(headroom: number) {
  let buffer = Buffer.allocUnsafe(1024)
  let at = headroom
  const room = (bytes: number): void => {
    if (at + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  const byte = (value: number): void => {
    room(1)
    buffer[at++] = value
  }
  const varint = (value: number): void => {
    room(8)
    let rest = value
    while (rest >= 128) {
      buffer[at++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    buffer[at++] = rest
  }
  const text = (value: string): void => {
    const length = Buffer.byteLength(value)
    varint(length)
    room(length)
    at += buffer.write(value, at, length, 'utf8')
  }
  return {
    byte,
    varint,
    text,
    value(value: SqlValue): void {
      if (value === null) byte(0)
      else if (typeof value === 'string') {
        byte(3)
        text(value)
      } else if (typeof value === 'number') {
        // Zigzag doubles the number, and integers are exact up to 2^53.
        if (Number.isInteger(value) && Math.abs(value) < 2 ** 52) {
          byte(1)
          varint(value >= 0 ? value * 2 : -value * 2 - 1)
        } else {
          byte(2)
          room(8)
          at = buffer.writeDoubleLE(value, at)
        }
      } else {
        byte(4)
        varint(value.length)
        room(value.length)
        buffer.set(value, at)
        at += value.length
      }
    },
    done: (): Buffer => buffer.subarray(0, at),
  }
}
