import type { CustomTypesConfig } from 'pg'
import { checkParameters, type SqlValue } from '../../values.ts'

/** Numbers of types in the catalog of PostgreSQL (pg_type.oid), which never change. */
const oids = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  float4: 700,
  float8: 701,
  numeric: 1700,
} as const

/** Parses a whole number. Throws if a JavaScript number would round it. */
function parseWhole(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value))
    throw new RangeError(`The database returned ${text}, which is beyond 2^53`)
  return value
}

/** Parses `numeric`, the type of sums: as a whole number unless it has a fraction. */
const parseNumeric = (text: string): number => (/^-?\d+$/.test(text) ? parseWhole(text) : Number(text))

const parsers: ReadonlyMap<number, (text: string) => SqlValue> = new Map([
  // A comparison is 0 or 1, as in SQLite.
  [oids.bool, (text: string) => (text === 't' ? 1 : 0)],
  [oids.int8, parseWhole],
  [oids.int2, parseWhole],
  [oids.int4, parseWhole],
  [oids.oid, parseWhole],
  [oids.float4, Number],
  [oids.float8, Number],
  [oids.numeric, parseNumeric],
])
const asText = (text: string): SqlValue => text

/** The parsers of `pg`: numbers become JavaScript numbers, booleans 0 or 1, everything else text. */
export const types: CustomTypesConfig = {
  getTypeParser: (oid: number) => parsers.get(oid) ?? asText,
}

/**
 * Checks parameters with `checkParameters`. Replaces NUL with U+FFFD, because a text in PostgreSQL cannot
 * contain it.
 */
export function parametersFor(values: readonly unknown[]): SqlValue[] {
  return checkParameters(values).map((value) =>
    typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value,
  )
}
