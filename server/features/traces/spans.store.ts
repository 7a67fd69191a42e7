import { maxTraceSpans } from '../../../contract/runs/spans.ts'
import { inScope } from '../../db/dialect/in-scope.ts'
import { type Params, prepareChange } from '../../db/prepared.ts'
import type { TraceSpansTable } from '../../db/schema/runs.ts'
import type { Query } from '../../db/types.ts'
import type { Scope } from '../../lib/context.ts'

export type SpanRow = TraceSpansTable

/** Adds a span. An existing span is not changed. */
export async function insertSpan(q: Query, row: SpanRow): Promise<void> {
  await q
    .insertInto('trace_spans')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Returns the spans of a trace, the oldest first. */
export function spansOfTrace(
  q: Query,
  scope: Scope,
  { traceId, workspaceId }: { readonly traceId: string; readonly workspaceId: string | null },
): Promise<SpanRow[]> {
  let matching = q
    .selectFrom('trace_spans')
    .selectAll()
    .where('trace_id', '=', traceId)
    .where(inScope(scope, 'workspace_id'))
  if (workspaceId !== null) matching = matching.where('workspace_id', '=', workspaceId)
  return matching.orderBy('created_at').orderBy('span_id').limit(maxTraceSpans).execute()
}

const deleteOldest = prepareChange((q, p: Params<{ before: number; limit: number }>) =>
  q
    .deleteFrom('trace_spans')
    .where((eb) =>
      eb(eb.refTuple('trace_id', 'workspace_id', 'span_id'), 'in', ({ selectFrom }) =>
        selectFrom('trace_spans')
          .select(['trace_id', 'workspace_id', 'span_id'])
          .where('created_at', '<', p('before'))
          .orderBy('created_at')
          .limit(p('limit'))
          .$asTuple('trace_id', 'workspace_id', 'span_id'),
      ),
    ),
)

/** Deletes the oldest spans before a time. Returns their number, at most `limit`. */
export const deleteSpansBefore = (q: Query, before: number, limit: number): Promise<number> =>
  deleteOldest(q, { before, limit })
