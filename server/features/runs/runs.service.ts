import type { InputOf } from '../../../contract/endpoint.ts'
import type { CaptureMode } from '../../../contract/models.ts'
import { Run, type RunDetail, type RunReport } from '../../../contract/run.ts'
import type { RunStats } from '../../../contract/run-stats.ts'
import type { runs as endpoints } from '../../../contract/runs.ts'
import type { RecordCall } from '../../calls/record.ts'
import type { Db } from '../../db/types.ts'
import type { Bus } from '../../history/bus.ts'
import type { History } from '../../history/history.ts'
import type { Context } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { fail } from '../../lib/fail.ts'
import type { PageReply } from '../../lib/paging.ts'
import type { DeletionClock } from '../../retention/deletion-clock.ts'
import { captureMode } from './capture.ts'
import { contentTypes, exportChunks } from './export.ts'
import { createFolding } from './folding.ts'
import { createGate } from './gate.ts'
import { createIngest, type Kept } from './ingest.ts'
import type { RunSettings } from './intake.ts'
import { createNames } from './names.store.ts'
import { createPayloads, type PayloadLimits, type Payloads, payloadLimitsOf } from './payloads.ts'
import { createRetention } from './retention.ts'
import { createRunReader, type ListQuery } from './runs.read.ts'
import { readSent } from './sent.read.ts'
import { createStatsReader, type StatsQuery } from './stats.read.ts'

export type RunsDeps = {
  readonly db: Db
  readonly history: History
  readonly bus: Bus
  readonly deletion: Pick<DeletionClock, 'now'>
  readonly settings: () => RunSettings
  /** Folder of captured input and output. */
  readonly payloadFolder: string
  readonly payloadLimits?: PayloadLimits
  /** Returns the id of the connected client that a request names, or null. */
  readonly clientIdOf?: (ctx: Context) => string | null
  /** Receives errors for which no caller waits. */
  readonly onError: (error: unknown) => void
}

type ExportQuery = InputOf<typeof endpoints.export>['query']

export type Captured = Pick<Payloads, 'append' | 'read'> & {
  /** Returns the capture mode of the workspace, lowered to `asked` if that is less. */
  modeOf(workspaceId: string, asked: CaptureMode | null): Promise<CaptureMode>
}

export type RunsService = {
  list(ctx: Context, query: ListQuery): Promise<PageReply<Run>>
  get(ctx: Context, id: number): Promise<RunDetail>
  /** Stores reports. Returns a single run completely, a batch as ids. */
  report(ctx: Context, body: RunReport | RunReport[]): Promise<Run | { id: number }[]>
  /** Stores a call that the service made; `reported` is false. */
  record: RecordCall
  stats(ctx: Context, query: StatsQuery): Promise<RunStats>
  /** Returns the variables and versions in recorded runs of a key since a time. */
  sent(of: Parameters<typeof readSent>[2]): ReturnType<typeof readSent>
  export(ctx: Context, query: ExportQuery): Promise<Download>
  /** Capture for records that consist of runs, such as executions. */
  readonly captured: Captured
  /** Applies retention and compacts roll-ups. Called by a timer, and when settings change. */
  maintain(): Promise<{ removed: number }>
  /** Ends after the work in progress. */
  close(): Promise<void>
}

export function createRunsService(deps: RunsDeps): RunsService {
  const { db, history, bus, deletion, settings, onError } = deps
  const stopping = new AbortController()
  const gate = createGate()
  const names = createNames()
  const payloads = createPayloads(deps.payloadFolder, () => deps.payloadLimits ?? payloadLimitsOf(settings()))
  const folding = createFolding({ db, gate, onError })
  const stats = createStatsReader({ db, names, gate })
  const reader = createRunReader({ db, names, stats, payloads })
  const ingest = createIngest({
    db,
    gate,
    names,
    bus,
    payloads,
    settings,
    clientIdOf: deps.clientIdOf ?? (() => null),
    onError,
    onCells: folding.noticed,
  })
  const retention = createRetention({
    db,
    gate,
    names,
    bus,
    folding,
    payloads,
    deletion,
    settings,
    signal: stopping.signal,
  })
  let maintenance: Promise<{ removed: number }> | null = null

  async function get(id: number): Promise<RunDetail> {
    const run = await reader.get(id)
    if (run === null) throw fail('not_found', { detail: `There is no run ${id}` })
    return run
  }

  /** Returns the complete run. For a repeated report that is the first one, as a list shows it. */
  async function whole({ id, run }: Kept): Promise<Run> {
    if (run !== null) return run
    return Run.parse(await get(id))
  }

  return {
    captured: {
      append: payloads.append,
      read: payloads.read,
      modeOf: (workspaceId, asked) => captureMode(db.read, workspaceId, settings().capture, asked),
    },
    list: (_ctx, query) => reader.list(query),
    get: (_ctx, id) => get(id),
    stats: (ctx, query) => stats.stats(query, ctx.now),
    sent: (of) => readSent(db.read, names, of),

    async report(ctx, body) {
      const isBatch = Array.isArray(body)
      const kept = await ingest.submit({ ctx, reports: isBatch ? body : [body], isBatch, isReported: true })
      if (isBatch) return kept.map(({ id }) => ({ id }))
      const [only] = kept
      if (only === undefined) throw new Error('A run was neither kept nor refused')
      return whole(only)
    },

    async record(ctx, record, claim) {
      const [only] = await ingest.submit({
        ctx,
        reports: [record],
        isBatch: false,
        isReported: false,
        claim,
      })
      return only === undefined ? null : whole(only)
    },

    async export(ctx, { format, ...query }) {
      const filters = Object.keys(query).filter((name) => query[name as keyof typeof query] !== undefined)
      const what = filters.length === 0 ? '' : `, filtered by ${filters.sort().join(', ')}`
      // Record the export before the first byte, so that it is in the audit log even if it does not finish.
      await db.write(
        (tx) =>
          history.record(tx, ctx, {
            action: 'export',
            resource: 'run',
            resourceId: null,
            key: null,
            summary: `Exported the run log as ${format === 'csv' ? 'CSV' : 'JSON lines'}${what}`,
          }),
        { evenWhenFull: true },
      )
      return {
        filename: `runs-${ctx.now.toISOString().slice(0, 10)}.${format}`,
        contentType: contentTypes[format],
        chunks: exportChunks(format, reader.chunks(query)),
      }
    },

    maintain() {
      maintenance ??= retention
        .apply()
        .then((removed) => ({ removed }))
        .finally(() => {
          maintenance = null
        })
      return maintenance
    },

    async close() {
      stopping.abort()
      await maintenance?.catch(onError)
      await folding.idle().catch(onError)
      await payloads.close()
    },
  }
}
