import { queryOptions } from '@tanstack/react-query'
import type { Prompt } from '../../../contract/prompts/prompt.ts'
import { client, keepPreviousRows } from '../../lib/service/api.ts'
import { definitionsQuery } from '../../shared/definitions/definition.ts'
import type { AgentsSearch } from './list/agents.search.ts'

export const agentsQuery = (search: AgentsSearch) => definitionsQuery('agent', client.agents.list, search)

/** Fetches the variables that a run of the agent needs, with the currently served prompt. */
export const inputQuery = (id: string) =>
  queryOptions({
    queryKey: ['agent', 'input', id],
    queryFn: async ({ signal }) => (await client.agents.input({ params: { id } }, { signal })).data,
  })

/** Fetches the prompt with that key in that environment; null if there is none. */
export const promptOfQuery = (workspace: string, key: string, env: string) =>
  queryOptions({
    queryKey: ['prompt', 'of agent', workspace, key, env],
    queryFn: async ({ signal }): Promise<Prompt | null> => {
      const query = { workspace, key, env, fields: 'summary' }
      const row = (await client.prompts.list({ query }, { signal })).data[0]
      return row === undefined
        ? null
        : (await client.prompts.get({ params: { id: row.id } }, { signal })).data
    },
    ...keepPreviousRows,
  })

const maxSuggestions = 20

/** Fetches keys of prompts as suggestions for the text typed so far. */
export const promptKeysQuery = (workspace: string | undefined, text: string) =>
  queryOptions({
    queryKey: ['prompt', 'keys for agents', workspace, text],
    queryFn: async ({ signal }) => {
      const filter = text === '' ? {} : { q: text }
      const query = { workspace, fields: 'summary', limit: maxSuggestions, ...filter }
      const { data } = await client.prompts.list({ query }, { signal })
      return [...new Set(data.map(({ key }) => key))]
    },
    ...keepPreviousRows,
  })
