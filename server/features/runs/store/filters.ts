import type { InputOf } from '../../../../contract/common/endpoint.ts'
import type { runs as endpoints } from '../../../../contract/runs/runs.ts'
import { dimensions, type RunsTable } from '../../../db/schema/run-columns.ts'
import type { Query } from '../../../db/types.ts'
import { findWorkspace } from '../../../resources/workspaces.read.ts'
import { columnOf, type FilterColumn, filterColumns, type NameKind } from './columns.ts'
import { type NameDictionary, wordsOf } from './names.store.ts'
import { searchNames, type WordMatch } from './words.store.ts'

type Filters = Omit<InputOf<typeof endpoints.export>['query'], 'format'>

/** The values to include, by column. An absent column is not restricted. */
export type ColumnFilter = { readonly [C in FilterColumn]?: readonly NonNullable<RunsTable[C]>[] }

/** The filters of a request as ids and units of the store. */
export type RunFilter = {
  readonly columns: ColumnFilter
  /** 0: ok, 1: error; undefined: both. */
  readonly statuses: readonly number[] | undefined
  /** Epoch milliseconds; `from` inclusive, `to` exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Inclusive, in microseconds. */
  readonly minLatency: number | undefined
  readonly maxLatency: number | undefined
  /** All words must match. */
  readonly words: readonly WordMatch[]
}

/**
 * Converts the filters of a request into ids. Returns null if nothing can match, such as for an unknown name.
 */
export async function readFilter(
  q: Query,
  names: NameDictionary,
  filters: Partial<Filters>,
): Promise<RunFilter | null> {
  const columns = await readColumns(q, names, filters)
  const words = filters.q === undefined ? [] : await readWords(q, filters.q)
  if (columns === null || words === null) return null
  const statuses = [...new Set(filters.status)]
  return {
    columns,
    statuses: statuses.length === 1 ? statuses.map((status) => (status === 'ok' ? 0 : 1)) : undefined,
    from: filters.from?.getTime(),
    to: filters.to?.getTime(),
    minLatency: filters.min_latency_ms === undefined ? undefined : filters.min_latency_ms * 1000,
    maxLatency: filters.max_latency_ms === undefined ? undefined : filters.max_latency_ms * 1000,
    words,
  }
}

async function readColumns(
  q: Query,
  names: NameDictionary,
  filters: Partial<Filters>,
): Promise<ColumnFilter | null> {
  const found: Partial<Record<FilterColumn, readonly (number | string)[]>> = {}
  for (const column of filterColumns) {
    const requested = filters[column]
    if (requested === undefined) continue
    const texts = column === 'workspace' ? await workspaceIds(q, requested) : requested
    const values: readonly (number | string)[] = isText(column) ? texts : await idsOf(q, names, column, texts)
    if (values.length === 0) return null
    found[column] = [...new Set(values)]
  }
  // Columns of text have texts, all others ids.
  return found as ColumnFilter
}

const isText = (column: FilterColumn): column is Exclude<FilterColumn, NameKind> =>
  columnOf(column).form === 'text'

/** Returns ids of workspaces given by id or slug. The runs of a deleted workspace still contain its id. */
const workspaceIds = (q: Query, idsOrSlugs: readonly string[]): Promise<string[]> =>
  Promise.all(idsOrSlugs.map(async (idOrSlug) => (await findWorkspace(q, idOrSlug))?.id ?? idOrSlug))

/** Returns the ids of the names that exist. */
async function idsOf(q: Query, names: NameDictionary, kind: NameKind, texts: readonly string[]) {
  const ids: number[] = []
  for (const name of texts) {
    const id = await names.findId(q, kind, name)
    if (id !== null) ids.push(id)
  }
  return ids.sort((a, b) => a - b)
}

/** Returns the names that match each word of a search; null if a word matches none. */
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

/** Returns true if roll-ups can evaluate this filter, so that a count does not read rows. */
export const isCountedByRollups = ({ columns, minLatency, maxLatency, words }: RunFilter): boolean =>
  minLatency === undefined &&
  maxLatency === undefined &&
  words.length === 0 &&
  Object.keys(columns).every((column) => summarized.has(column))

export const isUnfiltered = (filter: RunFilter): boolean =>
  isCountedByRollups(filter) &&
  Object.keys(filter.columns).length === 0 &&
  filter.statuses === undefined &&
  filter.from === undefined &&
  filter.to === undefined
