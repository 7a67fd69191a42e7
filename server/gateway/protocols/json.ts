/** Readers of values whose form is not certain: requests of apps, and replies of providers. */

import { isRecord } from '../../lib/values/is-record.ts'

export type Json = Readonly<Record<string, unknown>>

/** Returns an object; an empty one for any other value. */
export const record = (value: unknown): Json => (isRecord(value) ? value : {})

/** Returns the objects of a list; none for any other value. */
export const records = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(record) : [])

export const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

/** Returns a count; null for any other value. */
export const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1e9 ? value : null

/** Returns the fields of an object that it has. */
export const pick = (from: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])))
