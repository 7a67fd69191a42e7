import { queryOptions } from '@tanstack/react-query'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { pageSize } from '../../lib/service/paging.ts'
import { definitionsQuery } from '../../shared/definitions/definition.ts'
import type { WorkflowSearch, WorkflowsSearch } from './list/workflows.search.ts'

export const workflowsQuery = (search: WorkflowsSearch) =>
  definitionsQuery('workflow', client.workflows.list, search)

export const executionsQuery = (id: string, { status, cursor }: Pick<WorkflowSearch, 'status' | 'cursor'>) =>
  queryOptions({
    queryKey: ['workflow', 'executions', id, status, cursor],
    queryFn: ({ signal }) =>
      client.workflowRuns.ofWorkflow(
        { params: { id }, query: { limit: pageSize, sort: '-created_at', status, cursor } },
        { signal },
      ),
    ...keepPreviousRows,
  })

/** Refetch interval of a running execution, in milliseconds. Its steps send no events. */
const pollMs = 1000

export const executionQuery = (id: string) =>
  queryOptions({
    queryKey: ['workflow', 'execution', id],
    queryFn: async ({ signal }) => (await client.workflowRuns.get({ params: { id } }, { signal })).data,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? pollMs : false),
  })

const maxSuggestions = 20

/** Fetches agents as suggestions for the key typed so far. */
export const agentKeysQuery = (workspace: string, text: string) =>
  queryOptions({
    queryKey: ['agent', 'keys for workflows', workspace, text],
    queryFn: async ({ signal }) => {
      const filter = text === '' ? {} : { q: text }
      const query = { workspace, fields: 'summary', limit: maxSuggestions, ...filter }
      return (await client.agents.list({ query }, { signal })).data
    },
    ...keepPreviousRows,
  })

/** Fetches an agent and its variables by key; null if there is none. */
export const agentInputQuery = (workspace: string, key: string) =>
  queryOptions({
    queryKey: ['agent', 'input by key', workspace, key],
    queryFn: async ({ signal }) => {
      const query = { workspace, key, fields: 'summary', limit: 1 }
      const row = (await client.agents.list({ query }, { signal })).data[0]
      if (row === undefined) return null
      const input = (await client.agents.input({ params: { id: row.id } }, { signal })).data
      return { id: row.id, name: row.name, input }
    },
  })
