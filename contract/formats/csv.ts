/** Matches a cell that a spreadsheet would evaluate as a formula, also after white space. */
const formula = /^[\t\r\n]|^\s*[=+\-@＝＋－＠]/

/**
 * Returns one cell. Text that looks like a formula gets a leading apostrophe; quotes are added where needed.
 */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns one row of a CSV file (RFC 4180). All CSV files of the service and the console use it. */
export const csvRow = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

/** Returns rows of the named columns, without the header. */
export const csvRows = <K extends string>(
  columns: readonly K[],
  rows: readonly Readonly<Partial<Record<K, unknown>>>[],
): string => rows.map((row) => csvRow(columns.map((column) => row[column]))).join('')
