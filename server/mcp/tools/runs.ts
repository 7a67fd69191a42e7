import { z } from 'zod'
import { api } from '../../../contract/index.ts'
import { statDimensions } from '../../../contract/runs/run-stats.ts'
import { shared, type Tool, tool } from './tool.ts'

const filters = {
  workspace: shared.workspace,
  env: shared.env,
  ref_key: z.string().max(200).optional().describe('Key of a prompt, agent or workflow'),
  version: z.string().max(64).optional(),
  provider: z.string().max(128).optional(),
  model: z.string().max(128).optional(),
  status: z.enum(['ok', 'error']).optional(),
  app: z.string().max(128).optional(),
  session_id: z.string().max(128).optional(),
  from: shared.time.describe('Inclusive, ISO 8601'),
  to: shared.time.describe('Exclusive, ISO 8601'),
}

/** Tools that read the run log. */
export const runTools: readonly Tool[] = [
  tool({
    name: 'search_runs',
    title: 'Search runs',
    description: 'Lists model calls, newest first, without input and output. `get_run` returns those.',
    args: z.strictObject({
      ...filters,
      q: z.string().min(1).max(200).optional().describe('Words of key, model or error'),
      content: z.string().min(1).max(200).optional().describe('Words of captured input and output'),
      min_latency_ms: z.int().min(0).optional(),
      sort: z.enum(['created_at', '-created_at', '-latency_ms', '-cost_usd', '-total_tokens']).optional(),
      limit: shared.limit,
      cursor: shared.cursor,
    }),
    operation: api.runs.list,
    isReadOnly: true,
    run: (operations, caller, query) => operations.call(caller, api.runs.list, { query }),
  }),
  tool({
    name: 'get_run',
    title: 'Get run',
    description: 'Returns one model call. Input and output are present only if they were captured.',
    args: z.strictObject({ id: z.int().min(1) }),
    operation: api.runs.get,
    isReadOnly: true,
    run: async (operations, caller, { id }) =>
      (await operations.call(caller, api.runs.get, { params: { id: String(id) } })).data,
  }),
  tool({
    name: 'run_statistics',
    title: 'Run statistics',
    description: 'Returns counts, tokens, cost and latencies of model calls, by up to two dimensions.',
    args: z.strictObject({
      ...filters,
      group_by: z.array(z.enum(statDimensions)).min(1).max(2).optional(),
      limit: z.int().min(1).max(100).optional().describe('Maximum number of groups'),
      interval: z.enum(['hour', 'day', 'week', 'month', 'auto']).optional(),
      with_series: z.boolean().default(false).describe('Also return the points over time'),
    }),
    operation: api.runs.stats,
    isReadOnly: true,
    async run(operations, caller, { with_series: withSeries, group_by: groupBy, ...rest }) {
      const query = { ...rest, ...(groupBy !== undefined && { group_by: groupBy.join(',') }) }
      const { series, ...stats } = (await operations.call(caller, api.runs.stats, { query })).data
      return withSeries ? { ...stats, series } : stats
    },
  }),
]
