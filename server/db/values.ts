/** A value of a column or parameter. */
export type SqlValue = string | number | null | Uint8Array

export type Row = Record<string, SqlValue>
/** The result of one statement. `changes` is the number of rows that a write changed. */
export type Outcome = { readonly rows: Row[]; readonly changes: number }

/** `String.isWellFormed` exists in Node 20, but not in the es2023 type library. */
type WellFormed = { isWellFormed(): boolean; toWellFormed(): string }

/**
 * Returns the value as SQLite stores it, or throws. Without this check the engine would store an array as a
 * blob, NaN as NULL and a large integer rounded, and reject a Date without naming the parameter. A replay
 * could also read some values back differently.
 */
function checkParameter(value: unknown, index: number): SqlValue {
  if (value === null) return null
  if (typeof value === 'string') return checkText(value)
  if (typeof value === 'number') return checkNumber(value, index)
  // Copy the bytes, because the journal writes them later, when the caller may have changed its buffer.
  if (value instanceof Uint8Array) return new Uint8Array(value)
  throw refused(index, reasonToRefuse(value))
}

function checkText(value: string): string {
  const text = value as unknown as WellFormed
  // A lone surrogate has no UTF-8 form, and the journal and the engine would replace it differently.
  return text.isWellFormed() ? value : text.toWellFormed()
}

function checkNumber(value: number, index: number): number {
  if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
  if (!Number.isFinite(value)) throw refused(index, `${value} has no SQL form`)
  if (Number.isInteger(value)) throw refused(index, `${value} is beyond 2^53 and would come back rounded`)
  return value
}

function reasonToRefuse(value: unknown): string {
  if (Array.isArray(value)) return 'an array would be stored as a blob; use `in` or a row per value'
  if (value instanceof Date) return 'a Date: pass date.getTime()'
  if (typeof value === 'boolean') return 'a boolean: write 0 or 1'
  return `a ${typeof value} cannot be stored`
}

/** Checks every parameter of a statement, see `checkParameter`. */
export function checkParameters(values: readonly unknown[]): SqlValue[] {
  const checked = new Array<SqlValue>(values.length)
  for (let index = 0; index < values.length; index += 1) checked[index] = checkParameter(values[index], index)
  return checked
}

function refused(index: number, reason: string): TypeError {
  return new TypeError(`SQL parameter ${index + 1}: ${reason}`)
}
