import { csvRow, csvRows } from '../../../contract/formats/csv.ts'

/** Returns the rows as CSV, with a header line. */
export const toCsv = <K extends string>(
  columns: readonly K[],
  rows: readonly Readonly<Record<K, unknown>>[],
): string => csvRow(columns) + csvRows(columns, rows)

export const toJsonLines = (rows: readonly unknown[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('')
