import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { environments } from '../common/environments.ts'
import { item, queryInt, SearchText } from '../common/fields.ts'

/** The kinds of items that the search finds. Results with the same score are listed in this order. */
export const searchKinds = ['prompt', 'agent', 'workflow', 'workspace', 'user', 'client', 'token'] as const
export const SearchKind = z.enum(searchKinds)
export type SearchKind = z.infer<typeof SearchKind>

const maxSearchResults = 20
export const SearchQuery = z.strictObject({
  q: SearchText,
  limit: queryInt(1, maxSearchResults)
    .default(5)
    .meta({ description: 'Maximum number of results of each kind' }),
})

export const SearchResult = z.object({
  kind: SearchKind,
  id: z.string().meta({ description: 'Of a prompt: the ID in its first environment' }),
  label: z.string().meta({ description: 'Key, name, username or app' }),
  detail: z
    .string()
    .meta({ description: 'Distinguishes items with the same label: name, role, slug or environment' }),
  workspace_id: z.string().nullable(),
  score: z.number().meta({ description: 'From 0 to 1; higher is better' }),
  envs: z
    .array(z.object({ id: z.string(), env: z.enum(environments), has_draft: z.boolean() }))
    .optional()
    .meta({ description: 'Environments of a prompt' }),
})
export type SearchResult = z.infer<typeof SearchResult>

export const search = {
  find: endpoint({
    tag: 'Search',
    method: 'GET',
    path: '/api/search',
    workspaces: 'filter',
    summary: 'Find prompts, agents, workflows, workspaces, users, clients and API tokens by name',
    description:
      'Each typed word must occur in the key or name, or its letters in order: `blgr` finds `billing/greet`. Kinds that the caller may not list are left out.',
    permission: 'resources.read',
    query: SearchQuery,
    reply: item(z.array(SearchResult)),
    example: {
      query: 'q=refund',
      reply: {
        data: [
          {
            kind: 'prompt',
            id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11',
            label: 'billing/refund',
            detail: 'Refund',
            workspace_id: 'default',
            score: 0.8,
            envs: [{ id: '019aa5b2-7c10-7d5e-9a51-0c5a8a1f3b11', env: 'prod', has_draft: false }],
          },
        ],
      },
    },
  }),
}
