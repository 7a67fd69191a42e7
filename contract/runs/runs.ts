import { z } from 'zod'
import { endpoint } from '../common/endpoint.ts'
import { ExportFormat, item, page, paging, queryInt } from '../common/fields.ts'
import { ListedRun, Run, RunDetail, RunReport, runExample } from './run.ts'
import { IncompleteContent } from './run-content.ts'
import { RunErrors, RunErrorsQuery, runErrorsExample } from './run-errors.ts'
import { listFilters, runSorts } from './run-filters.ts'
import { runStatsExample } from './run-stats.example.ts'
import { RunStats, RunStatsQuery } from './run-stats.ts'

export const ListRunsQuery = z.strictObject({ ...paging(runSorts), ...listFilters })
export const ExportRunsQuery = z.strictObject({ format: ExportFormat.default('csv'), ...listFilters })
const tag = 'Runs'

export const runs = {
  list: endpoint({
    tag,
    method: 'GET',
    path: '/api/runs',
    workspaces: 'filter',
    summary: 'List runs, newest first or sorted by a figure',
    description:
      'Filters are combined. A filter may be repeated: any of the values matches; with `not_`, none of them. Sorted by a figure, the period is the last 30 days by default, and runs without the figure come last.',
    permission: 'runs.read',
    query: ListRunsQuery,
    reply: page(ListedRun).extend({
      content_incomplete: IncompleteContent.optional(),
      content_off: z.literal(true).optional().meta({
        description:
          'Present with `content` if capture is off now, in the workspace if the filter names one: new runs are not found',
      }),
    }),
    example: {
      query: 'provider=openai&status=error&limit=20',
      reply: { data: [runExample], total: 1, next_cursor: null },
    },
  }),
  report: endpoint({
    tag,
    method: 'POST',
    path: '/api/runs',
    workspaces: 'input',
    summary: 'Report one run, or up to 500 at once (all or none)',
    permission: 'runs.report',
    forApps: true,
    idempotent: true,
    body: z.union([RunReport, z.array(RunReport).min(1).max(500)]),
    reply: z.object({ data: z.union([Run, z.array(z.object({ id: z.int() }))]) }),
    status: 201,
    problems: ['idempotency.mismatch', 'store.full'],
    example: {
      body: { provider: 'openai', model: 'gpt-4o', latency_ms: 1240, status: 'ok', ref_key: 'greet' },
      reply: { data: runExample },
    },
  }),
  stats: endpoint({
    tag,
    method: 'GET',
    path: '/api/runs/stats',
    workspaces: 'filter',
    summary: 'Get totals, percentiles, breakdowns and a time series',
    description:
      'Counts and sums are exact. Percentiles are exact for up to 5,000 runs, else within 3.9%. A time series has at most 1,000 points: a shorter `interval` is increased to the next one that fits, and the reply contains the one used.',
    permission: 'runs.read',
    query: RunStatsQuery,
    reply: item(RunStats),
    example: {
      query: 'from=2026-11-20T00:00:00Z&interval=hour&group_by=model',
      reply: {
        data: runStatsExample,
      },
    },
  }),
  errors: endpoint({
    tag,
    method: 'GET',
    path: '/api/runs/errors',
    workspaces: 'filter',
    summary: 'Get the failed runs of a period, grouped by message',
    description:
      'Messages that differ only in numbers, IDs and quoted values are one group. Without `from`, the period is the whole log.',
    permission: 'runs.read',
    query: RunErrorsQuery,
    reply: item(RunErrors),
    example: { query: 'from=2026-11-20T00:00:00Z', reply: { data: runErrorsExample } },
  }),
  export: endpoint({
    tag,
    method: 'GET',
    path: '/api/runs/export',
    workspaces: 'filter',
    summary: 'Download the run log as CSV or JSON Lines',
    permission: 'runs.read',
    query: ExportRunsQuery,
    reply: Run,
    replyAs: 'file',
    mediaTypes: ['text/csv', 'application/x-ndjson'],
    problems: ['content.incomplete'],
    example: { query: 'format=jsonl&from=2026-11-20T00:00:00Z', reply: runExample },
  }),
  get: endpoint({
    tag,
    method: 'GET',
    path: '/api/runs/:id',
    workspaces: 'item',
    summary: 'Get a run with its details',
    permission: 'runs.read',
    params: z.object({
      id: z.union([queryInt(1, Number.MAX_SAFE_INTEGER), z.uuid()]).meta({
        description: 'ID of the run, or `Promptdeck-Run-Id` of a reply of the gateway',
      }),
    }),
    reply: item(RunDetail),
    problems: ['not_found'],
    example: {
      reply: {
        data: {
          ...runExample,
          input: null,
          output: null,
          content_state: 'off',
          params: { temperature: 0.2 },
          finish_reason: 'stop',
          response_id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG',
          provider_request_id: 'req_9f2c1b7a5d3e4f60',
          response_model: 'gpt-4o-2024-11-20',
          tool_names: null,
          call_id: null,
          tokens_per_second: 68.8,
          client_run_id: null,
          variables: ['customer.name', 'amount'],
          request_id: 'req_01',
          prompt_hash: null,
        },
      },
    },
  }),
}
