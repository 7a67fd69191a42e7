import type { Run, RunReport } from '../../../../contract/runs/run.ts'
import type {
  Form,
  NamedRun,
  NullOf,
  RunColumnName,
  RunColumns,
  Stored,
} from '../../../db/schema/run-columns.ts'
import { columnOf, type FieldOf, type ReportColumn } from './columns.ts'

export type NameLookup = (id: number | null) => string | null

/** The type of the value in the contract, by form. */
type Wire = {
  integer: number
  text: string
  json: Record<string, unknown>
  name: string
  names: string[]
  flag: boolean
  status: Run['status']
  time: string
  micros: number
  nanos: number
}
/** The types in a report, in which names may come with values. */
type Reported = Omit<Wire, 'names'> & { names: NonNullable<RunReport['variables']> }
type Named = Omit<Stored, 'name' | 'names'> & { name: string; names: string }

/** Conversions between storage and contract of values that are not null. Reported names remain text. */
type Conversions = {
  readonly [F in Form]: {
    readonly toWire: (stored: Stored[F], nameOf: NameLookup) => Wire[F] | null
    readonly fromReport: (value: Reported[F]) => Named[F]
  }
}

/** Replaces NUL and unpaired surrogates, which SQLite cannot store; all other text is unchanged. */
const storable = (text: string): string =>
  (text as string & { toWellFormed(): string }).toWellFormed().replaceAll('\u0000', '\uFFFD')
const identity = <T>(value: T): T => value

/** Returns the names in a stored list. */
export const namesIn = (joined: string | null): string[] | null =>
  joined === null ? null : joined.split(',').filter((name) => name !== '')

const conversions: Conversions = {
  integer: { toWire: identity, fromReport: identity },
  text: { toWire: identity, fromReport: storable },
  json: { toWire: (text) => JSON.parse(text), fromReport: (value) => JSON.stringify(value) },
  name: { toWire: (id, nameOf) => nameOf(id), fromReport: storable },
  names: {
    toWire: (id, nameOf) => namesIn(nameOf(id)),
    // Two texts may become equal, so repeated ones are removed last.
    fromReport: (names) =>
      [...new Set((Array.isArray(names) ? names : Object.keys(names)).map(storable))].sort().join(','),
  },
  flag: { toWire: (stored) => stored === 1, fromReport: (flag) => (flag ? 1 : 0) },
  status: {
    toWire: (stored) => (stored === 0 ? 'ok' : 'error'),
    fromReport: (status) => (status === 'ok' ? 0 : 1),
  },
  time: { toWire: (at) => new Date(at).toISOString(), fromReport: Date.parse },
  micros: { toWire: (micros) => micros / 1000, fromReport: (ms) => Math.round(ms * 1000) },
  nanos: { toWire: (nanos) => nanos / 1e9, fromReport: (dollars) => Math.round(dollars * 1e9) },
}

/** The fields of the contract that columns contain. The compiler compares them with the contract. */
export type WireFields<Fields> = {
  [C in RunColumnName as FieldOf<C> & keyof Fields]: Wire[RunColumns[C]['form']] | NullOf<C>
}
/** The columns that a report sets; null if it may omit them and does. */
export type ReportedColumns = {
  [C in ReportColumn]: NonNullable<NamedRun[C]> | OmittedIf<RunReport[FieldOf<C> & keyof RunReport]>
}
type OmittedIf<Value> = undefined extends Value ? null : never

/** Converts a stored value of one column, which may be null. */
export type ToWire = (stored: unknown, nameOf: NameLookup) => unknown

/** Returns the conversion of a column. A required name that was removed becomes an empty text. */
export function toWireOf(name: RunColumnName): ToWire {
  const { form, isNullable = false } = columnOf(name)
  const { toWire } = conversions[form]
  const missing = isNullable ? null : ''
  // The compiler does not relate the value to the form of its column.
  return (stored, nameOf) => (stored === null ? null : (toWire(stored as never, nameOf) ?? missing))
}

/** Converts a reported value; undefined becomes null. */
export function fromReport(name: ReportColumn, value: unknown): unknown {
  // The compiler does not relate the value to the form of its column.
  return value === null || value === undefined
    ? null
    : conversions[columnOf(name).form].fromReport(value as never)
}
