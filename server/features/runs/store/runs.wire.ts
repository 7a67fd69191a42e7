import { Run, RunDetail } from '../../../../contract/runs/run.ts'
import type { RunColumnName, RunsTable } from '../../../db/schema/run-columns.ts'
import { columnByField, columnNames, columnOf, listColumns, recordOf } from './columns.ts'
import { type NameLookup, toWireOf, type WireFields } from './forms.ts'
import type { ListedRun } from './runs.store.ts'

const runFields = Object.keys(Run.shape) as readonly (keyof Run)[]
const detailFields = Object.keys(RunDetail.shape) as readonly (keyof RunDetail)[]
const isNamed = (name: RunColumnName): boolean => /^names?$/.test(columnOf(name).form)
const listedNames = listColumns.filter(isNamed)
const allNames = columnNames.filter(isNamed)

function idsIn<C extends RunColumnName>(
  rows: readonly Pick<RunsTable, C>[],
  columns: readonly C[],
): Set<number> {
  const ids = new Set<number>()
  for (const row of rows) {
    for (const column of columns) {
      const id: unknown = row[column]
      if (typeof id === 'number') ids.add(id)
    }
  }
  return ids
}

export const nameIdsOf = (rows: readonly ListedRun[]): Set<number> => idsIn(rows, listedNames)
export const allNameIdsOf = (row: RunsTable): Set<number> => idsIn([row], allNames)

/** Returns the conversion of each field that a column contains; others are null. */
const readersOf = (fields: readonly string[]) =>
  fields.map((field) => {
    const column = columnByField.get(field)
    if (column === undefined) return null
    const toWire = toWireOf(column)
    return (row: Partial<RunsTable>, nameOf: NameLookup) => toWire(row[column], nameOf)
  })
const runReaders = readersOf(runFields)
const detailReaders = readersOf(detailFields)

export function runToWire(row: ListedRun, nameOf: NameLookup): Run {
  return recordOf<WireFields<Run>>(runFields, (_field, index) => runReaders[index]?.(row, nameOf))
}

/** The fields of a single run that no column contains. */
type Computed = Omit<RunDetail, keyof WireFields<RunDetail>>

export function detailToWire(
  row: RunsTable,
  computed: Omit<Computed, 'tokens_per_second'>,
  nameOf: NameLookup,
): RunDetail {
  const all: Computed = { ...computed, tokens_per_second: tokensPerSecond(row) }
  return recordOf<WireFields<RunDetail> & Computed>(detailFields, (field, index) => {
    const read = detailReaders[index]
    return read ? read(row, nameOf) : all[field as keyof Computed]
  })
}

/**
 * Returns the output rate after the first token, or over the whole time if there is no time of the first
 * token.
 */
function tokensPerSecond({ output_tokens: tokens, latency_us: latency, ttft_us: ttft }: RunsTable) {
  const micros = ttft === null || ttft >= latency ? latency : latency - ttft
  return tokens === null || micros === 0 ? null : Math.round((tokens * 1e7) / micros) / 10
}
