import type { RunsService } from '../../features/runs/runs.service.ts'
import type { TracesService } from '../../features/traces/traces.service.ts'
import { createTelemetry } from '../../telemetry/receive/receive.ts'

/** Creates the receiver of telemetry, which stores model calls in the run log, and spans in traces. */
export const composeTelemetry = ({
  runs,
  traces,
}: {
  readonly runs: Pick<RunsService, 'report'>
  readonly traces: Pick<TracesService, 'report'>
}) =>
  createTelemetry({
    report: (ctx, reports) => runs.report(ctx, reports),
    reportSpans: (ctx, workspace, spans) => traces.report(ctx, workspace, spans),
  })
