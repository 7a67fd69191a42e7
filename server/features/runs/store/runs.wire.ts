import { Run, RunDetail } from '../../../../contract/run.ts'
import type { RunsTable } from '../../../db/schema/run-columns.ts'
import { columnByField, columnOf, listColumns, recordOf } from './columns.ts'
import { type NameLookup, toWire, type WireFields } from './forms.ts'
import type { ListedRun } from './runs.store.ts'

const runFields = Object.keys(Run.shape) as readonly (keyof Run)[]
const detailFields = Object.keys(RunDetail.shape) as readonly (keyof RunDetail)[]
const nameColumns = listColumns.filter((name) => columnOf(name).form === 'name')

/** Returns the ids of all names in the rows. */
export function nameIdsOf(rows: readonly ListedRun[]): Set<number> {
  const ids = new Set<number>()
  for (const row of rows) {
    for (const column of nameColumns) {
      const id = row[column]
      if (typeof id === 'number') ids.add(id)
    }
  }
  return ids
}

/** Returns the value of a field that a column contains. */
function fieldOf(row: Partial<RunsTable>, field: string, nameOf: NameLookup): unknown {
  const column = columnByField.get(field)
  return column === undefined ? null : toWire(column, row[column], nameOf)
}

/** Converts a stored run into a run of a list. */
export function runToWire(row: ListedRun, nameOf: NameLookup): Run {
  return recordOf<WireFields<Run>>(runFields, (field) => fieldOf(row, field, nameOf))
}

/** The fields of a single run that no column contains. */
type Computed = Omit<RunDetail, keyof WireFields<RunDetail>>

/** Converts a stored run into a run with its details. */
export function detailToWire(
  row: RunsTable,
  computed: Omit<Computed, 'tokens_per_second'>,
  nameOf: NameLookup,
): RunDetail {
  const all: Computed = { ...computed, tokens_per_second: tokensPerSecond(row) }
  return recordOf<WireFields<RunDetail> & Computed>(detailFields, (field) =>
    columnByField.has(field) ? fieldOf(row, field, nameOf) : all[field as keyof Computed],
  )
}

/**
 * Returns the output rate after the first token, or over the whole time if there is no time of the first
 * token.
 */
function tokensPerSecond({ output_tokens: tokens, latency_us: latency, ttft_us: ttft }: RunsTable) {
  const micros = ttft === null || ttft >= latency ? latency : latency - ttft
  return tokens === null || micros === 0 ? null : Math.round((tokens * 1e7) / micros) / 10
}
