/** Matches the places at which a spreadsheet would begin a formula, also after white space. */
const formulas = /(^|[;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])/g

/**
 * Returns one cell. Text that looks like a formula gets a leading apostrophe; quotes are added where needed. Where
 * lists are separated by semicolons, a spreadsheet also begins a cell after these and at each line, despite the quotes.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = text.replace(/^(?=[\t\r\n])/, "'").replace(formulas, "$1'")
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns one row of a CSV file (RFC 4180). All CSV files of the service and the console use it. */
export const csvRow = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

/** Returns rows of the named columns, without the header. */
export const csvRows = <K extends string>(
  columns: readonly K[],
  rows: readonly Readonly<Partial<Record<K, unknown>>>[],
): string => rows.map((row) => csvRow(columns.map((column) => row[column]))).join('')
