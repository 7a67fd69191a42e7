import type { RunsService } from '../../features/runs/runs.service.ts'
import type { SettingsService } from '../../features/settings/settings.service.ts'
import type { TracesService } from '../../features/traces/traces.service.ts'
import { createTelemetry } from '../../telemetry/receive/receive.ts'

/** Creates the receiver of telemetry, which stores model calls in the run log, and spans in traces. */
export const composeTelemetry = ({
  runs,
  traces,
  settings,
}: {
  readonly runs: Pick<RunsService, 'report'>
  readonly traces: Pick<TracesService, 'report'>
  readonly settings: Pick<SettingsService, 'current'>
}) =>
  createTelemetry({
    report: (ctx, reports) => runs.report(ctx, reports),
    reportSpans: (ctx, workspace, spans) => traces.report(ctx, workspace, spans),
    runRetentionDays: () => settings.current().runRetentionDays,
  })
