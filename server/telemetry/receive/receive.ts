import type { RunReport } from '../../../contract/runs/run.ts'
import { createYield } from '../../lib/async/yield.ts'
import { type Context, principalOf } from '../../lib/context.ts'
import { refusalOfTime } from '../../retention/stored-period.ts'
import { createLogConverter, type Sender } from '../convert/log-run.ts'
import type { Conversion } from '../convert/report.ts'
import { reportedSpanOf } from '../convert/reported-span.ts'
import { runOfSpan } from '../convert/span-run.ts'
import { loadCodec } from '../protocol/codec.ts'
import type { Encoding, Signal } from '../protocol/encoding.ts'
import { parseJson } from '../protocol/json.ts'
import { logRecordsOf, spansOf } from '../protocol/records.ts'
import { replyOf } from './reply.ts'
import { type Rejection, type ReportRuns, storeRuns } from './store-runs.ts'
import { type ReportSpans, storeSpans } from './store-spans.ts'

export type TelemetryRequest = {
  readonly signal: Signal
  readonly encoding: Encoding
  /** The body without content encoding. */
  readonly body: Buffer
  /** The workspace of records that name none; null: that of the token. */
  readonly workspace: string | null
}

/** Receives telemetry: stores the model calls in it as runs, and the agents and tools around them. */
export type Telemetry = {
  /** Resolves with the body of the reply when the runs are on disk. Throws the problem of a rejected request. */
  receive(ctx: Context, request: TelemetryRequest): Promise<Buffer>
}

const requestNames = {
  traces: 'ExportTraceServiceRequest',
  logs: 'ExportLogsServiceRequest',
} as const

export function createTelemetry({
  report,
  reportSpans,
  runRetentionDays,
}: {
  readonly report: ReportRuns
  readonly reportSpans: ReportSpans
  readonly runRetentionDays: () => number
}): Telemetry {
  const convertLog = createLogConverter()

  /** Returns the model calls, and the other spans of their traces. */
  const convertedOf = async (signal: Signal, message: unknown, sender: Sender) => {
    const spans = signal === 'traces' ? spansOf(message) : []
    const records = signal === 'logs' ? logRecordsOf(message) : []
    const runs = await mapInSlices(spans, runOfSpan)
    const events = await mapInSlices(records, (record) => convertLog(record, sender))
    const conversions: Conversion[] = [...runs, ...events].filter((each) => each !== null)
    const others = await mapInSlices(spans, reportedSpanOf)
    return { conversions, otherSpans: others.filter((span) => span !== null) }
  }

  return {
    async receive(ctx, { signal, encoding, body, workspace }) {
      const message =
        encoding === 'json' ? parseJson(body) : (await loadCodec()).decode(requestNames[signal], body)
      const defaultWorkspace = workspace ?? workspaceOf(ctx)
      const sender = { reporter: principalOf(ctx.actor), workspace: defaultWorkspace }
      const { conversions, otherSpans } = await convertedOf(signal, message, sender)
      const reports = conversions.flatMap((each): RunReport[] =>
        each.kind === 'run'
          ? [{ ...each.report, workspace_id: each.report.workspace_id ?? defaultWorkspace }]
          : [],
      )
      const rejections: Rejection[] = [
        ...conversions.flatMap((each) => (each.kind === 'rejected' ? [each] : [])),
        ...(await storeRuns(ctx, report, reports)),
        ...(await storeSpans(ctx, otherSpans, {
          report: reportSpans,
          defaultWorkspace,
          refusalOfTime: (ms) => refusalOfTime(ms, ctx.now.getTime(), runRetentionDays()),
        })),
      ]
      const warnings = conversions.flatMap((each) => (each.kind === 'run' ? (each.warning ?? []) : []))
      return replyOf(signal, encoding, rejections, warnings)
    },
  }
}

/** Maps items, and yields to other work in between. */
async function mapInSlices<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const yieldIfDue = createYield()
  const results: R[] = []
  for (const item of items) {
    await yieldIfDue()
    results.push(map(item))
  }
  return results
}

/** Returns the only workspace of a caller; null, which stands for the default one, if there are several. */
function workspaceOf({ actor }: Context): string | null {
  const [only, ...others] = actor.memberships?.keys() ?? []
  return actor.limits?.workspaceId ?? (others.length === 0 ? (only ?? null) : null)
}
