import { queryOptions } from '@tanstack/react-query'
import { client } from '../../lib/service/api.ts'

/** Maximum number of runs that the page of a trace shows. */
const maxTraceRuns = 200

/** The runs of a trace, oldest first, and the agents and tools around them. The key starts with `run`, because new runs change traces. */
export const traceQuery = (id: string, workspace: string | undefined) =>
  queryOptions({
    queryKey: ['run', 'trace', id, workspace],
    queryFn: async ({ signal }) => {
      const [runs, spans] = await Promise.all([
        client.runs.list(
          { query: { trace_id: id, workspace, sort: 'created_at', limit: maxTraceRuns } },
          { signal },
        ),
        client.spans.list({ query: { trace_id: id, workspace } }, { signal }),
      ])
      const { data, total, total_capped: isCapped } = runs
      return { runs: data, total, isCapped, spans: spans.data }
    },
  })
