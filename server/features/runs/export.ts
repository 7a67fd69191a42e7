import { stringify } from 'csv-stringify/sync'
import { Run } from '../../../contract/run.ts'

export type ExportFormat = 'csv' | 'jsonl'

export const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
}

const columns = Object.keys(Run.shape)

/** The file, piece by piece, at the pace of whoever reads it. */
export async function* exportChunks(
  format: ExportFormat,
  chunks: AsyncIterable<Run[]>,
): AsyncGenerator<string> {
  if (format === 'csv') yield `${columns.join(',')}\r\n`
  for await (const runs of chunks) {
    yield format === 'csv' ? csvOf(runs) : runs.map((run) => `${JSON.stringify(run)}\n`).join('')
  }
}

/** `escape_formulas` puts an apostrophe before `= + - @` and their like, so that a spreadsheet runs nothing. */
const csvOf = (runs: readonly Run[]): string =>
  stringify([...runs], {
    columns,
    escape_formulas: true,
    record_delimiter: 'windows',
    cast: { boolean: (value) => String(value) },
  })
