import type { InputOf } from '../../../contract/endpoint.ts'
import type { runs as endpoints } from '../../../contract/runs.ts'
import type { Query } from '../../db/types.ts'
import { findWorkspace } from '../../resources/workspaces.read.ts'
import type { NameKind, Names } from './names.store.ts'
import { wordsOf } from './names.store.ts'
import type { NameFilter } from './rollups.read.ts'
import { searchNames, type WordMatch } from './runs.search.ts'

type Filters = Omit<InputOf<typeof endpoints.export>['query'], 'format'>

/** The filters of a request as ids and units of the store. */
export type RunFilter = {
  readonly names: NameFilter
  readonly statuses: readonly number[] | undefined
  /** Epoch milliseconds; `from` inclusive, `to` exclusive. */
  readonly from: number | undefined
  readonly to: number | undefined
  readonly version: readonly number[] | undefined
  readonly user: readonly number[] | undefined
  readonly client: readonly number[] | undefined
  readonly errorType: readonly number[] | undefined
  readonly parentIds: readonly string[] | undefined
  /** Inclusive, in microseconds. */
  readonly minLatency: number | undefined
  readonly maxLatency: number | undefined
  /** All words must match. */
  readonly words: readonly WordMatch[]
}

/** Returns the id of a workspace given by id or slug; null if there is none. */
export async function workspaceIdOf(q: Query, idOrSlug: string): Promise<string | null> {
  return (await findWorkspace(q, idOrSlug))?.id ?? null
}

/**
 * Converts the filters of a request into ids. Returns null if nothing can match, such as for an unknown name.
 */
export async function readFilter(q: Query, names: Names, asked: Partial<Filters>): Promise<RunFilter | null> {
  let isImpossible = false
  const idsOf = async (kind: NameKind, given: readonly string[] | undefined) => {
    if (given === undefined) return undefined
    const ids = new Set<number>()
    for (const name of given) {
      const id = await names.find(q, kind, name)
      if (id !== null) ids.add(id)
    }
    if (ids.size === 0) isImpossible = true
    return [...ids].sort((a, b) => a - b)
  }
  const workspaces =
    asked.workspace === undefined
      ? undefined
      : // The runs of a deleted workspace still contain its id.
        await Promise.all(asked.workspace.map(async (given) => (await workspaceIdOf(q, given)) ?? given))

  const byName: NameFilter = {}
  const restrict = async (kind: keyof NameFilter & NameKind, given: readonly string[] | undefined) => {
    const ids = await idsOf(kind, given)
    if (ids !== undefined) byName[kind] = ids
  }
  await restrict('source', asked.source)
  await restrict('provider', asked.provider)
  await restrict('model', asked.model)
  await restrict('workspace', workspaces)
  await restrict('ref_key', asked.ref_key)
  const statuses = asked.status === undefined ? undefined : [...new Set(asked.status)]

  const words: WordMatch[] = []
  if (asked.q !== undefined) {
    const given = wordsOf(asked.q, 10)
    if (given.length === 0) isImpossible = true
    for (const word of given) {
      const match = await searchNames(q, word)
      if (match.isEmpty) isImpossible = true
      words.push(match)
    }
  }
  const filter: RunFilter = {
    names: byName,
    statuses: statuses?.length === 1 ? statuses.map((status) => (status === 'ok' ? 0 : 1)) : undefined,
    from: asked.from?.getTime(),
    to: asked.to?.getTime(),
    version: await idsOf('version', asked.version),
    user: await idsOf('user', asked.user),
    client: await idsOf('client', asked.client),
    errorType: await idsOf('error_type', asked.error_type),
    parentIds: asked.parent_id === undefined ? undefined : [...new Set(asked.parent_id)],
    minLatency: asked.min_latency_ms === undefined ? undefined : asked.min_latency_ms * 1000,
    maxLatency: asked.max_latency_ms === undefined ? undefined : asked.max_latency_ms * 1000,
    words,
  }
  return isImpossible ? null : filter
}

/** Returns true if roll-ups can evaluate this filter, so that a count does not read rows. */
export function isCountedByRollups(filter: RunFilter): boolean {
  const { version, user, client, errorType, parentIds, minLatency, maxLatency, words } = filter
  return (
    [version, user, client, errorType, parentIds, minLatency, maxLatency].every(
      (part) => part === undefined,
    ) && words.length === 0
  )
}

export const isUnfiltered = (filter: RunFilter): boolean =>
  isCountedByRollups(filter) &&
  Object.keys(filter.names).length === 0 &&
  filter.statuses === undefined &&
  filter.from === undefined &&
  filter.to === undefined
