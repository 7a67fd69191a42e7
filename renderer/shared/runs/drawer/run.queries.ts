import { queryOptions } from '@tanstack/react-query'
import type { QueryInput } from '../../../../contract/client.ts'
import type { RunDetail } from '../../../../contract/runs/run.ts'
import { client } from '../../../lib/service/api.ts'
import { pageSize } from '../../../lib/service/paging.ts'

/** Runs are immutable, so the key does not start with `run`, which new runs invalidate. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['one run', id],
    queryFn: async ({ signal }) => (await client.runs.get({ params: { id } }, { signal })).data,
    staleTime: Number.POSITIVE_INFINITY,
  })

export type WorkspaceName = { readonly id: string; readonly slug: string; readonly name: string }

type RunPosition = Pick<RunDetail, 'id' | 'created_at' | 'ref_key' | 'workspace_id'>

/**
 * Fetches the id of the next older or newer run with the same key, null if there is none. Several runs can
 * have the same time, so the list is read from the time of the run, up to the entry after the run.
 */
export const neighbourQuery = (run: RunPosition, direction: 'older' | 'newer') =>
  queryOptions({
    // A newer run may still arrive; the next older one never changes.
    queryKey: [direction === 'newer' ? 'run' : 'one run', 'neighbour', direction, run.id],
    queryFn: async ({ signal }): Promise<number | null> => {
      const at = Date.parse(run.created_at)
      const span =
        direction === 'older'
          ? { sort: '-created_at', to: new Date(at + 1).toISOString() }
          : { sort: 'created_at', from: run.created_at }
      const filters = { ref_key: run.ref_key, workspace: run.workspace_id, limit: pageSize }
      let cursor: string | null = null
      let isPastRun = false
      do {
        const query: QueryInput = { ...filters, ...span, cursor }
        const page = await client.runs.list({ query }, { signal })
        for (const { id } of page.data) {
          if (isPastRun) return id
          isPastRun = id === run.id
        }
        cursor = page.next_cursor
      } while (cursor !== null)
      return null
    },
  })

/** Fetches the prompt or agent of a run; null if it no longer exists or is unknown. */
export const definitionQuery = (run: Pick<RunDetail, 'ref_key' | 'workspace_id' | 'env' | 'source'>) => {
  const { ref_key: key, workspace_id: workspace, env, source } = run
  const isAgent = source === 'agent'
  return queryOptions({
    queryKey: [isAgent ? 'agent' : 'prompt', 'of run', workspace, key, env],
    queryFn: async ({ signal }): Promise<{ kind: 'prompt' | 'agent'; id: string } | null> => {
      if (key === null || source === 'workflow') return null
      const fields = 'summary'
      if (isAgent) {
        const { data } = await client.agents.list({ query: { workspace, q: key, fields } }, { signal })
        const found = data.find((agent) => agent.key === key)
        return found === undefined ? null : { kind: 'agent', id: found.id }
      }
      const { data } = await client.prompts.list({ query: { workspace, key, env, fields } }, { signal })
      // Without an environment, the prompt is known only if there is one.
      const [found] = data.length === 1 ? data : []
      return found === undefined ? null : { kind: 'prompt', id: found.id }
    },
  })
}

/** Number of similar runs that are offered for a comparison. */
const similarCount = 8

/** Fetches the latest other runs of the same key, or of the same model without a key. */
export const similarRunsQuery = ({ id, ref_key: key, model, workspace_id: workspace }: RunDetail) =>
  queryOptions({
    queryKey: ['run', 'similar', id],
    queryFn: async ({ signal }) => {
      const query = { workspace, limit: similarCount + 1, ...(key === null ? { model } : { ref_key: key }) }
      const { data } = await client.runs.list({ query }, { signal })
      return data.filter((run) => run.id !== id).slice(0, similarCount)
    },
  })
