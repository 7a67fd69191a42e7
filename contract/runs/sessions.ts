import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { anyOf, Id, page, paging, queryInt, queryTime, Timestamp } from '../common/fields.ts'
import { RunDetail, runExample } from './run.ts'

/** The runs of one conversation. */
export const RunSession = z.object({
  id: z.string().meta({ description: 'The `session_id` of its runs' }),
  workspace_id: Id,
  run_count: z.int(),
  error_count: z.int(),
  first_run_at: Timestamp,
  last_run_at: Timestamp,
  apps: z.array(z.string()).meta({ description: 'The apps of the newest 200 runs' }),
  end_user: z.string().nullable().meta({ description: 'The latest end user of these runs' }),
  total_tokens: z
    .int()
    .nullable()
    .meta({ description: 'Sum of the known token counts; null if no run has a known count' }),
  cost_usd: z
    .number()
    .nullable()
    .meta({ description: 'Sum of the known costs; null if no run has a known cost' }),
})
export type RunSession = z.infer<typeof RunSession>

/** Maximum size of the captured content in one reply, in bytes; at least one run is in each. */
export const maxSessionBytes = 4 * 1024 * 1024

const SessionRuns = RunSession.extend({
  runs: z.array(RunDetail).meta({ description: 'One page of its runs, oldest first' }),
})

const workspace = z.string().min(1).max(64)
const ListSessionsQuery = z.strictObject({
  ...paging(['last_run_at', '-last_run_at']),
  workspace: anyOf(workspace),
  end_user: anyOf(z.string().min(1).max(128)).meta({
    description: 'Sessions among the newest 10,000 runs of the end user',
  }),
  from: queryTime.optional().meta({ description: 'Start of the period of the last run' }),
  to: queryTime.optional(),
})
const GetSessionQuery = z.strictObject({
  limit: queryInt(1, 100).default(50),
  cursor: z.string().min(1).max(1024).optional(),
  workspace: workspace.optional(),
})
const tag = 'Sessions'
const sessionExample: z.input<typeof RunSession> = {
  id: 'conversation-17',
  workspace_id: 'default',
  run_count: 1,
  error_count: 0,
  first_run_at: '2026-11-21T09:30:00.000Z',
  last_run_at: '2026-11-21T09:30:00.000Z',
  apps: ['checkout'],
  end_user: '#k3J8d0QmV1nXo2bT5wZyAA',
  total_tokens: 876,
  cost_usd: 0.00267,
}

export const sessions = {
  list: endpoint({
    tag,
    method: 'GET',
    path: '/api/sessions',
    workspaces: 'filter',
    summary: 'List sessions, the latest activity first',
    description: 'A session consists of the runs of a workspace with the same `session_id`.',
    permission: 'runs.read',
    query: ListSessionsQuery,
    reply: page(RunSession),
    example: {
      query: 'workspace=default&limit=20',
      reply: { data: [sessionExample], total: 1, next_cursor: null },
    },
  }),
  get: endpoint({
    tag,
    method: 'GET',
    path: '/api/sessions/:id',
    workspaces: 'item',
    summary: 'Get a session and its runs in order',
    description:
      'The runs contain input and output where they were captured. A page ends early at 4 MiB of content. If several workspaces have a session with this ID, `workspace` selects one; by default it is the one with the latest activity.',
    permission: 'runs.read',
    params: z.object({ id: z.string().min(1).max(128) }),
    query: GetSessionQuery,
    reply: z.object({ data: SessionRuns, next_cursor: z.string().nullable() }),
    problems: ['not_found'],
    example: {
      reply: {
        data: {
          ...sessionExample,
          runs: [
            {
              ...runExample,
              input: [{ role: 'user', content: 'Where is my parcel?' }],
              output: 'It arrives on Monday.',
              params: null,
              finish_reason: 'stop',
              response_id: null,
              provider_request_id: null,
              response_model: null,
              tool_names: null,
              call_id: null,
              tokens_per_second: 68.8,
              client_run_id: null,
              variables: null,
              request_id: 'req_01',
              prompt_hash: null,
              content_state: 'captured',
            },
          ],
        },
        next_cursor: null,
      },
    },
  }),
}
