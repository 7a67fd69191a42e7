/** What a column holds and a parameter may be. */
export type SqlValue = string | number | null | Uint8Array

/** `String.isWellFormed` is in Node 20 and not yet in the es2023 library. */
type WellFormed = { isWellFormed(): boolean; toWellFormed(): string }

/**
 * The value as SQLite will keep it, or a loud error. The engine would bind an array as a blob, NaN as NULL, a Date as
 * an unnamed string error and a big integer rounded; JSON and UTF-8 would not bring some of them back alike on replay.
 */
export function checkParameter(value: unknown, index: number): SqlValue {
  if (value === null) return null
  if (typeof value === 'string') {
    const text = value as unknown as WellFormed
    // A lone surrogate has no UTF-8; the journal and the engine would each write it their own way.
    return text.isWellFormed() ? value : text.toWellFormed()
  }
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value === 0 ? 0 : value
    if (!Number.isFinite(value)) throw refused(index, `${value} has no SQL form`)
    if (Number.isInteger(value)) throw refused(index, `${value} is beyond 2^53 and would come back rounded`)
    return value
  }
  // A copy: the journal writes it after the caller may have gone on with its buffer.
  if (value instanceof Uint8Array) return new Uint8Array(value)
  if (Array.isArray(value))
    throw refused(index, 'an array would be stored as a blob; use `in` or a row per value')
  if (value instanceof Date) throw refused(index, 'a Date: pass date.getTime()')
  if (typeof value === 'boolean') throw refused(index, 'a boolean: write 0 or 1')
  throw refused(index, `a ${typeof value} cannot be stored`)
}

export function checkParameters(values: readonly unknown[]): SqlValue[] {
  const checked = new Array<SqlValue>(values.length)
  for (let index = 0; index < values.length; index += 1) checked[index] = checkParameter(values[index], index)
  return checked
}

function refused(index: number, reason: string): TypeError {
  return new TypeError(`SQL parameter ${index + 1}: ${reason}`)
}
