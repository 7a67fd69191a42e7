import { csvRow, csvRows } from '../../../contract/formats/csv.ts'
import type { AuditTable } from '../../db/schema/schema.ts'
import { entryColumns } from './audit.read.ts'

const columns = [
  ...entryColumns,
  'before',
  'after',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof AuditTable)[]

type Format = 'csv' | 'jsonl'

export const contentTypes: Readonly<Record<Format, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
}

/** Yields the file in chunks. `before` and `after` are written as the escaped JSON that is stored. */
export async function* exportChunks(
  format: Format,
  entries: AsyncIterable<AuditTable[]>,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvRow(columns)
  for await (const rows of entries) yield format === 'csv' ? csvOf(rows) : rows.map(jsonLine).join('')
}

const csvOf = (rows: readonly AuditTable[]): string =>
  csvRows(
    columns,
    rows.map((row) => ({ ...row, created_at: new Date(row.created_at).toISOString() })),
  )

function jsonLine(row: AuditTable): string {
  const { before, after, prev_hash, ...rest } = row
  const head = JSON.stringify({ ...rest, created_at: new Date(row.created_at).toISOString(), prev_hash })
  return `${head.slice(0, -1)},"before":${before ?? 'null'},"after":${after ?? 'null'}}\n`
}
