import { csvRow, csvRows } from '../../../../contract/formats/csv.ts'
import { Run } from '../../../../contract/runs/run.ts'

export type ExportFormat = 'csv' | 'jsonl'

export const contentTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/x-ndjson; charset=utf-8',
}

const columns = Object.keys(Run.shape)

/** Yields the file in chunks, at the speed of the reader. */
export async function* exportChunks(
  format: ExportFormat,
  chunks: AsyncIterable<Run[]>,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvRow(columns)
  for await (const runs of chunks) {
    yield format === 'csv' ? csvRows(columns, runs) : runs.map((run) => `${JSON.stringify(run)}\n`).join('')
  }
}
