/** What a spreadsheet would run: an apostrophe before it makes it text, as in the exports of the service. */
const formula = /^[=+\-@\t\r＝＋－＠]/

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value !== 'string') return String(value)
  const safe = formula.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Rows as CSV (RFC 4180) with a head. */
export function toCsv<K extends string>(
  columns: readonly K[],
  rows: readonly Readonly<Record<K, unknown>>[],
): string {
  const lines = rows.map((row) => columns.map((column) => cell(row[column])))
  return [columns, ...lines].map((line) => `${line.join(',')}\r\n`).join('')
}

export const toJsonLines = (rows: readonly unknown[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')
