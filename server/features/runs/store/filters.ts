import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { Run } from '../../../../contract/runs/run.ts'
import type { OptionalRunField } from '../../../../contract/runs/run-filters.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import { dimensions, type RunColumnName, type RunsTable } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import type { Scope } from '../../../lib/context.ts'
import { visibleIds } from '../../../lib/scope.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'
import { columnNames, columnOf, type FilterColumn, fieldOf, filterColumns, type NameKind } from './columns.ts'
import { findLists, type MemberMatch } from './members.store.ts'
import { type NameDictionary, wordsOf } from './names.store.ts'
import { searchNames, type WordMatch } from './words.store.ts'

export type Filters = Partial<Omit<InputOf<typeof endpoints.export>['query'], 'format'>>

/** Values by column. An absent column is not restricted. */
export type ColumnFilter = { readonly [C in FilterColumn]?: readonly NonNullable<RunsTable[C]>[] }

/** The values that a filter includes or, with `not_`, excludes. */
export type ValueFilters = {
  readonly columns: ColumnFilter
  /** 0: ok, 1: error; undefined: both. */
  readonly statuses: readonly number[] | undefined
  readonly tags: MemberMatch | undefined
}

/** A range of a column in its stored unit; both ends are inclusive. */
export type Range = {
  readonly column: RunColumnName
  readonly min: number | undefined
  readonly max: number | undefined
}

/** The filters of a request as ids and units of the store. */
export type RunFilter = ValueFilters & {
  readonly excluded: ValueFilters
  /** Epoch milliseconds; `from` inclusive, `to` exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly ranges: readonly Range[]
  /** Columns that have a value, and columns that have none. */
  readonly present: readonly RunColumnName[]
  readonly absent: readonly RunColumnName[]
  /** Key and value, of which one must be in the metadata. */
  readonly metadata: readonly (readonly [key: string, value: string])[]
  /** All words must match. */
  readonly words: readonly WordMatch[]
  /** Ids of the names of the visible workspaces, which `columns` includes; null: every workspace is visible. */
  readonly visible: readonly number[] | null
  /** True if the request itself does not filter by workspace. */
  readonly isWorkspaceFree: boolean
}

const none: ValueFilters = { columns: {}, statuses: undefined, tags: undefined }

/**
 * Converts the filters of a request into ids, limited to the workspaces of the scope. Returns null if nothing can
 * match, such as for an unknown name.
 */
export async function readFilter(
  q: Query,
  names: NameDictionary,
  scope: Scope,
  filters: Filters,
): Promise<RunFilter | null> {
  const visible = await visibleNames(q, names, scope)
  const included = withinScope(await readValues(q, names, filters, ''), visible)
  const words = filters.q === undefined ? [] : await readWords(q, filters.q)
  if (included === null || words === null) return null
  return {
    ...included,
    excluded: (await readValues(q, names, filters, 'not_')) ?? none,
    from: filters.from?.getTime(),
    to: filters.to?.getTime(),
    ranges: rangesOf(filters),
    present: columnsOf(filters.has),
    absent: columnsOf(filters.has_no),
    metadata: (filters.metadata ?? []).map((text) => {
      const colon = text.indexOf(':')
      return [text.slice(0, colon), text.slice(colon + 1)] as const
    }),
    words,
    visible,
    isWorkspaceFree: filters.workspace === undefined,
  }
}

/** Returns the ids of the names of the visible workspaces that have runs; null: every workspace is visible. */
export async function visibleNames(q: Query, names: NameDictionary, scope: Scope): Promise<number[] | null> {
  const ids = visibleIds(scope)
  return ids === null ? null : idsOf(q, names, 'workspace', ids)
}

/** Limits the filter by workspace to the visible ones. Returns null if none is left. */
function withinScope(values: ValueFilters | null, visible: readonly number[] | null): ValueFilters | null {
  if (values === null || visible === null) return values
  const { workspace: requested } = values.columns
  const workspace = requested === undefined ? visible : requested.filter((id) => visible.includes(id))
  return workspace.length === 0 ? null : { ...values, columns: { ...values.columns, workspace } }
}

/**
 * Returns the values of the filters with a prefix. A name that no run has is omitted; if that leaves a filter
 * without values, nothing can match, and the result is null. Nothing is excluded by such a filter.
 */
async function readValues(
  q: Query,
  names: NameDictionary,
  filters: Filters,
  prefix: '' | 'not_',
): Promise<ValueFilters | null> {
  const columns: Partial<Record<FilterColumn, readonly (number | string)[]>> = {}
  for (const column of filterColumns) {
    const requested = filters[`${prefix}${column}`]
    if (requested === undefined) continue
    const texts = column === 'workspace' ? await workspaceIds(q, requested) : requested
    const values: readonly (number | string)[] = isText(column) ? texts : await idsOf(q, names, column, texts)
    if (values.length > 0) columns[column] = [...new Set(values)]
    else if (prefix === '') return null
  }
  const tags = await readTags(q, filters[`${prefix}tag`])
  if (tags === null && prefix === '') return null
  return {
    // Columns of text have texts, all others ids.
    columns: columns as ColumnFilter,
    statuses: statusesOf(filters[`${prefix}status`] ?? [], prefix === ''),
    tags: tags ?? undefined,
  }
}

/** Returns the sets that contain one of the tags; null if there are none, undefined without a filter. */
async function readTags(
  q: Query,
  tags: readonly string[] | undefined,
): Promise<MemberMatch | null | undefined> {
  if (tags === undefined) return undefined
  const match = await findLists(q, [...new Set(tags)])
  return match.ids?.length === 0 ? null : match
}

/** Returns the stored statuses; undefined if they restrict nothing. */
function statusesOf(requested: readonly Run['status'][], isIncluding: boolean): number[] | undefined {
  const statuses = [...new Set(requested)]
  const restricts = isIncluding ? statuses.length === 1 : statuses.length > 0
  return restricts ? statuses.map((status) => (status === 'ok' ? 0 : 1)) : undefined
}

const isText = (column: FilterColumn): column is Exclude<FilterColumn, NameKind> =>
  columnOf(column).form === 'text'

/** Returns ids of workspaces given by id or slug. The runs of a deleted workspace still contain its id. */
const workspaceIds = (q: Query, idsOrSlugs: readonly string[]): Promise<string[]> =>
  Promise.all(idsOrSlugs.map(async (idOrSlug) => (await findWorkspace(q, idOrSlug))?.id ?? idOrSlug))

/** Returns the ids of the names that exist. */
async function idsOf(q: Query, names: NameDictionary, kind: NameKind, texts: readonly string[]) {
  const ids: number[] = []
  for (const name of texts.flatMap((text) => names.formsOf(kind, text))) {
    const id = await names.findId(q, kind, name)
    if (id !== null) ids.push(id)
  }
  return ids.sort((a, b) => a - b)
}

/** Columns that can be filtered by a range. `unit`: stored units per unit of the request. */
const rangedColumns = [
  { column: 'latency_us', unit: 1000 },
  { column: 'ttft_us', unit: 1000 },
  { column: 'cost_nano', unit: 1e9 },
  { column: 'total_tokens', unit: 1 },
] as const satisfies readonly { column: RunColumnName; unit: number }[]

function rangesOf(filters: Readonly<Record<string, unknown>>): Range[] {
  const stored = (name: string, unit: number) => {
    const value = filters[name]
    return typeof value === 'number' ? Math.round(value * unit) : undefined
  }
  return rangedColumns.flatMap(({ column, unit }) => {
    const [min, max] = [`min_${fieldOf(column)}`, `max_${fieldOf(column)}`].map((name) => stored(name, unit))
    return min === undefined && max === undefined ? [] : [{ column, min, max }]
  })
}

/** Returns the columns of fields that a run may lack. Captured content has its location. */
const columnsOf = (fields: readonly OptionalRunField[] = []): RunColumnName[] =>
  columnNames.filter((column) =>
    fields.some((field) => field === fieldOf(column) || optionalColumns[field] === column),
  )
const optionalColumns: Partial<Record<OptionalRunField, RunColumnName>> = {
  client: 'client',
  content: 'payload_day',
}

/** Returns the names that match each word of a search; null if a word matches none, or if there is no word. */
async function readWords(q: Query, search: string): Promise<WordMatch[] | null> {
  const matches: WordMatch[] = []
  for (const word of wordsOf(search, 10)) {
    const match = await searchNames(q, word)
    if (match.isEmpty) return null
    matches.push(match)
  }
  return matches.length === 0 ? null : matches
}

const summarized: ReadonlySet<string> = new Set(dimensions)

const isWithoutValues = ({ columns, statuses, tags }: ValueFilters): boolean =>
  Object.keys(columns).length === 0 && statuses === undefined && tags === undefined

/** Returns true if roll-ups can evaluate this filter, so that a count does not read rows. */
export const isCountedByRollups = (filter: RunFilter): boolean =>
  filter.tags === undefined &&
  isWithoutValues(filter.excluded) &&
  filter.ranges.length === 0 &&
  filter.present.length === 0 &&
  filter.absent.length === 0 &&
  filter.metadata.length === 0 &&
  filter.words.length === 0 &&
  Object.keys(filter.columns).every((column) => summarized.has(column))

export const isUnfiltered = (filter: RunFilter): boolean => filter.visible === null && isWholeScope(filter)

/** Returns true if the filter includes every run that the caller can see. */
export function isWholeScope(filter: RunFilter): boolean {
  const { workspace: _, ...others } = filter.columns
  const isScoped = filter.visible !== null && filter.isWorkspaceFree
  return (
    isCountedByRollups(filter) &&
    isWithoutValues(isScoped ? { ...filter, columns: others } : filter) &&
    filter.from === undefined &&
    filter.to === undefined
  )
}
