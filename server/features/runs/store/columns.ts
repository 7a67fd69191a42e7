import { Run, RunDetail, RunReport } from '../../../../contract/runs/run.ts'
import { ExportRunsQuery } from '../../../../contract/runs/runs.ts'
import { emptyRecord } from '../../../db/empty-record.ts'
import {
  type ColumnOf,
  type RunColumn,
  type RunColumnName,
  type RunColumns,
  runColumns,
} from '../../../db/schema/run-columns.ts'

/** The field of the contract that a column contains. */
export type FieldOf<C extends RunColumnName> = RunColumns[C] extends { field: infer F } ? F : C
type ColumnIn<Fields> = { [C in RunColumnName]: FieldOf<C> extends keyof Fields ? C : never }[RunColumnName]
type Searched = { isSearched: true }

/** The columns of a list; the others are read only for a single run. */
export type ListColumn = ColumnIn<Run>
export type ReportColumn = ColumnIn<RunReport>
/** The columns with ids of names. Each has a dictionary of its own. */
export type NameKind = ColumnOf<'name' | 'names'>
export type SearchedColumn = {
  [C in RunColumnName]: RunColumns[C] extends Searched ? C : never
}[RunColumnName]
/** The columns with lists that a request can filter by one of their members. */
export type MemberColumn = {
  [C in RunColumnName]: RunColumns[C] extends { hasMembers: true } ? C : never
}[RunColumnName]
/** The columns that a request can filter by a list of values. */
export type FilterColumn = ColumnOf<'name' | 'text'> & keyof typeof ExportRunsQuery.shape

export const columnOf = (name: RunColumnName): RunColumn => runColumns[name]
export const fieldOf = (name: RunColumnName): string => columnOf(name).field ?? name

// `Object.keys` returns `string[]`, because an object may have more properties than its type.
export const columnNames = Object.keys(runColumns) as readonly RunColumnName[]

/** Returns the columns that pass a test. `C` is the same condition as a type. */
function columnsWhere<C extends RunColumnName>(isMatch: (name: RunColumnName) => boolean): readonly C[] {
  return columnNames.filter((name): name is C => isMatch(name))
}
const isIn = (shape: object) => (name: RunColumnName) => Object.hasOwn(shape, fieldOf(name))

export const listColumns = columnsWhere<ListColumn>(isIn(Run.shape))
export const reportColumns = columnsWhere<ReportColumn>(isIn(RunReport.shape))
export const searchedColumns = columnsWhere<SearchedColumn>((name) => columnOf(name).isSearched === true)
export const memberColumns = columnsWhere<MemberColumn>((name) => columnOf(name).hasMembers === true)
export const filterColumns = columnsWhere<FilterColumn>(
  (name) => /^(?:name|text)$/.test(columnOf(name).form) && Object.hasOwn(ExportRunsQuery.shape, name),
)
/** The columns whose names are found by an index. */
export const indexedNames: ReadonlySet<string> = new Set([
  ...searchedColumns,
  ...filterColumns,
  ...memberColumns,
])

/** The column of each field of a single run, in the order of the contract. Computed fields have none. */
export const columnByField: ReadonlyMap<string, RunColumnName> = new Map(
  Object.keys(RunDetail.shape).flatMap((field) => {
    const name = columnNames.find((column) => fieldOf(column) === field)
    return name === undefined ? [] : [[field, name] as const]
  }),
)

const templates = new WeakMap<readonly string[], Record<string, null>>()

function templateOf(names: readonly string[]): Record<string, null> {
  const template = templates.get(names) ?? emptyRecord(names)
  templates.set(names, template)
  return template
}

/**
 * Returns a record with a value per name. The caller states its type, because TypeScript cannot relate the
 * type of each value to its name in a loop. Pass the same array for the same names: it identifies a template.
 */
export function recordOf<R extends object>(
  names: readonly (keyof R & string)[],
  valueFor: (name: keyof R & string, index: number) => unknown,
): R {
  const record: Record<string, unknown> = { ...templateOf(names) }
  let index = 0
  for (const name of names) {
    record[name] = valueFor(name, index)
    index += 1
  }
  return record as R
}
