import { stringify } from 'csv-stringify/sync'
import type { AuditTable } from '../../db/schema.ts'
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

/** The file, piece by piece: `before` and `after` go out as the escaped JSON they are stored as. */
export async function* exportChunks(
  format: Format,
  entries: AsyncIterable<AuditTable[]>,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join(',')}\r\n`
  for await (const rows of entries) yield format === 'csv' ? csvOf(rows) : rows.map(jsonLine).join('')
}

/** `escape_formulas` puts an apostrophe before `= + - @` and their like, so that a spreadsheet runs nothing. */
const csvOf = (rows: readonly AuditTable[]): string =>
  stringify(
    rows.map((row) => ({ ...row, created_at: new Date(row.created_at).toISOString() })),
    { columns: [...columns], escape_formulas: true, record_delimiter: 'windows' },
  )

function jsonLine(row: AuditTable): string {
  const { before, after, prev_hash, ...rest } = row
  const head = JSON.stringify({ ...rest, created_at: new Date(row.created_at).toISOString(), prev_hash })
  return `${head.slice(0, -1)},"before":${before ?? 'null'},"after":${after ?? 'null'}}\n`
}
