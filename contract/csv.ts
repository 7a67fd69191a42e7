/** A cell that a spreadsheet would calculate, or whose first character hides that it would. */
const formula = /^[\t\r\n]|^\s*[=+\-@＝＋－＠]/

/** Returns one cell: text that looks like a formula gets an apostrophe before it, and what needs quotes gets them. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = formula.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Returns one row of a CSV file (RFC 4180). Every CSV of the service and the console is made of these. */
export const csvRow = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`

/** Returns rows under their column names, without the head. */
export const csvRows = <K extends string>(
  columns: readonly K[],
  rows: readonly Readonly<Partial<Record<K, unknown>>>[],
): string => rows.map((row) => csvRow(columns.map((column) => row[column]))).join('')
