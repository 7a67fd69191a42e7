import type { RunsService } from '../../features/runs/runs.service.ts'
import { createTelemetry } from '../../telemetry/receive/receive.ts'

/** Creates the receiver of telemetry, which stores model calls through the run log. */
export const composeTelemetry = ({ runs }: { readonly runs: Pick<RunsService, 'report'> }) =>
  createTelemetry({ report: (ctx, reports) => runs.report(ctx, reports) })
