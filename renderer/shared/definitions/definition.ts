import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import type { Agent, AgentVersion } from '../../../contract/agents/agent.ts'
import type { QueryInput } from '../../../contract/client.ts'
import type { DefinitionHead } from '../../../contract/definitions/definition.ts'
import type { Workflow, WorkflowVersion } from '../../../contract/workflows/workflow.ts'
import { client, invalidateEntities, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import { defaultSort } from '../resources/list/search.ts'

/**
 * A kind of resource that has a key in a workspace, and versions. Also its name in `changed` frames of the
 * live connection.
 */
export type Kind = 'agent' | 'workflow'
export type Definition = DefinitionHead
export type DefinitionVersion = AgentVersion | WorkflowVersion

/** Returns the API calls of a kind. */
export const callsOf = (kind: Kind) => (kind === 'agent' ? client.agents : client.workflows)

/** Catalogue with the texts of each kind. Also the name of its table. */
export const catalogueOf = { agent: 'agents', workflow: 'workflows' } as const
export const pageOf = { agent: '/agents/$id', workflow: '/workflows/$id' } as const
export const listOf = { agent: '/agents', workflow: '/workflows' } as const

export const definitionQuery = {
  agent: (id: string) =>
    queryOptions({
      queryKey: ['agent', 'one', id],
      queryFn: async ({ signal }): Promise<Agent> =>
        (await client.agents.get({ params: { id } }, { signal })).data,
    }),
  workflow: (id: string) =>
    queryOptions({
      queryKey: ['workflow', 'one', id],
      queryFn: async ({ signal }): Promise<Workflow> =>
        (await client.workflows.get({ params: { id } }, { signal })).data,
    }),
}

type ListSearch = { readonly sort?: string | undefined; readonly cursor?: string | undefined }
type ListCall<R> = (
  input: { readonly query: QueryInput },
  options: { readonly signal: AbortSignal },
) => Promise<R>

/** Fetches a page of the list of agents or workflows that the address selects. */
export const definitionsQuery = <S extends ListSearch & QueryInput, R>(
  kind: Kind,
  list: ListCall<R>,
  search: S,
) =>
  queryOptions({
    queryKey: [kind, 'list', search],
    queryFn: ({ signal }) => {
      const { sort = defaultSort, cursor, ...filters } = search
      return list({ query: { limit: pageSize, sort, cursor, fields: 'summary', ...filters } }, { signal })
    },
    ...keepPreviousRows,
  })

type Page = { readonly data: readonly DefinitionVersion[]; readonly next_cursor: string | null }

/** Fetches the versions of an agent or workflow page by page, newest first. */
export const versionsQuery = (kind: Kind, id: string) =>
  infiniteQueryOptions<
    Page,
    Error,
    InfiniteData<Page, string | null>,
    readonly [Kind, 'versions', string],
    string | null
  >({
    queryKey: [kind, 'versions', id],
    queryFn: ({ signal, pageParam }) =>
      callsOf(kind).versions(
        { params: { id }, query: { limit: pageSize, sort: '-version', cursor: pageParam } },
        { signal },
      ),
    initialPageParam: null,
    getNextPageParam: (page) => page.next_cursor,
  })

/** Invalidates the queries that a change of an agent or workflow affects. */
export const refreshDefinitions = (queries: QueryClient, kind: Kind): Promise<unknown> =>
  invalidateEntities(queries, kind, 'audit', 'workspace')

/** Returns a version without its metadata, for a comparison. */
export function behaviourOf(version: DefinitionVersion): Record<string, unknown> {
  const {
    version: _version,
    kind: _kind,
    from: _from,
    message: _message,
    current: _current,
    created_by: _by,
    created_at: _at,
    ...behaviour
  } = version
  return behaviour
}
