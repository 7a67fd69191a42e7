import { fail } from '../../lib/fail.ts'
import { isRecord } from '../../lib/values/is-record.ts'

/** Attributes by name, with values as in JSON. */
export type Attributes = ReadonlyMap<string, unknown>

type Fields = Readonly<Record<string, unknown>>

const maxValueDepth = 32
/** Maximum number of attributes of one span, log record or resource. The specification suggests 128. */
const maxAttributes = 1024

/** Returns an object; empty if it is absent. Throws `request.malformed` for anything else. */
export function objectOf(value: unknown, path: string): Fields {
  if (value === undefined || value === null) return {}
  if (!isRecord(value)) throw fail('request.malformed', { detail: `${path}: expected an object` })
  return value
}

/** Returns a list; empty if it is absent. Throws `request.malformed` for anything else. */
export function listOf(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw fail('request.malformed', { detail: `${path}: expected a list` })
  return value
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns a number, also from its text and from the 64-bit integers of the codec; null for anything else. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'string') {
    const number = value.trim() === '' ? Number.NaN : Number(value)
    return Number.isFinite(number) ? number : null
  }
  if (!isRecord(value)) return null
  const { low, high, unsigned } = value
  if (typeof low !== 'number' || typeof high !== 'number') return null
  return (unsigned === true ? high >>> 0 : high) * 2 ** 32 + (low >>> 0)
}

/** Milliseconds from 1970 to the end of year 9999. */
const maxTimeMs = 253_402_300_799_999

/** Returns epoch milliseconds, to the microsecond, of a time in nanoseconds; null if it is absent, out of range, or 0 for unknown. */
export function timeOf(value: unknown): number | null {
  // Nanoseconds since 1970 are too large for an exact number; microseconds are not.
  const ms = Math.round((numberOf(value) ?? 0) / 1e3) / 1e3
  return ms > 0 && ms <= maxTimeMs ? ms : null
}

/** Returns the milliseconds between two times, to the microsecond; 0 if the end is before the start. */
export const durationOf = (startMs: number, endMs: number): number =>
  Math.max(0, Math.round((endMs - startMs) * 1e3) / 1e3)

/** Returns an id in hexadecimal; null if it has another length or only zeros. JSON contains hexadecimal text. */
export function idOf(value: unknown, bytes: 8 | 16): string | null {
  const hex = value instanceof Uint8Array ? Buffer.from(value).toString('hex') : textOf(value).toLowerCase()
  return hex.length === bytes * 2 && /^[0-9a-f]+$/.test(hex) && !/^0+$/.test(hex) ? hex : null
}

/** Converts an AnyValue. Values of a wrong type, and those nested too deeply, are null. */
export function plainValue(any: unknown, depth = 0): unknown {
  if (!isRecord(any) || depth > maxValueDepth) return null
  // Decoded messages inherit the defaults of members that are absent.
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue }: Fields = {
    ...any,
  }
  if (typeof stringValue === 'string') return stringValue
  if (typeof boolValue === 'boolean') return boolValue
  if (intValue !== undefined && intValue !== null) return numberOf(intValue)
  if (doubleValue !== undefined && doubleValue !== null) return numberOf(doubleValue)
  if (isRecord(arrayValue)) return entriesOf(arrayValue).map((each) => plainValue(each, depth + 1))
  if (isRecord(kvlistValue)) return Object.fromEntries(pairsOf(entriesOf(kvlistValue), depth + 1))
  if (bytesValue instanceof Uint8Array) return Buffer.from(bytesValue).toString('base64')
  return typeof bytesValue === 'string' ? bytesValue : null
}

const entriesOf = ({ values }: Fields): readonly unknown[] => (Array.isArray(values) ? values : [])

function pairsOf(list: readonly unknown[], depth: number): [string, unknown][] {
  return list
    .slice(0, maxAttributes)
    .flatMap((each): [string, unknown][] =>
      isRecord(each) && typeof each['key'] === 'string' && each['key'] !== ''
        ? [[each['key'], plainValue(each['value'], depth)]]
        : [],
    )
}

/** Converts a list of KeyValue. Of a repeated name, the first counts; entries without a name are ignored. */
export function attributesOf(value: unknown, path: string): Attributes {
  const attributes = new Map<string, unknown>()
  for (const [name, each] of pairsOf(listOf(value, path), 0))
    if (!attributes.has(name)) attributes.set(name, each)
  return attributes
}
