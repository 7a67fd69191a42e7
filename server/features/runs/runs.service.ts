import type { InputOf } from '../../../contract/common/endpoint.ts'
import type { CaptureMode } from '../../../contract/models/models.ts'
import { Run, type RunDetail, type RunReport } from '../../../contract/runs/run.ts'
import type { RunErrors } from '../../../contract/runs/run-errors.ts'
import type { RunStats } from '../../../contract/runs/run-stats.ts'
import type { runs as endpoints } from '../../../contract/runs/runs.ts'
import type { AddBudgetUsage, RecordCall } from '../../calls/intents/record.ts'
import type { Db, PartitionUnit } from '../../db/types.ts'
import type { Bus } from '../../history/events/bus.ts'
import type { History } from '../../history/history.ts'
import { createReadWriteLock } from '../../lib/async/read-write-lock.ts'
import type { Context, Scope } from '../../lib/context.ts'
import type { Download } from '../../lib/download.ts'
import { fail } from '../../lib/fail.ts'
import { everyWorkspace } from '../../lib/scope.ts'
import type { RequestClient } from '../../resources/connected-client.ts'
import type { DeletionClock } from '../../retention/deletion-clock.ts'
import { openCaptured } from './content/open-captured.ts'
import { createIngest, type IngestDeps } from './ingest/ingest.ts'
import type { StoredRun } from './ingest/submission.ts'
import { captureMode } from './payloads/capture.ts'
import type { ObjectStore } from './payloads/objects/object-store.ts'
import type { Payloads } from './payloads/payload-files.ts'
import { type PayloadLimits, payloadLimitsOf } from './payloads/payload-limits.ts'
import { type ErrorsQuery, readErrors } from './query/errors.read.ts'
import { contentTypes, exportChunks } from './query/export.ts'
import type { ListQuery, RunPage } from './query/list.read.ts'
import { createRunReader } from './query/runs.read.ts'
import { createSessionReader, type SessionReader } from './query/sessions.read.ts'
import { readUsage } from './query/usage.read.ts'
import { createRunRemoval, type RunRemoval } from './retention/removal.ts'
import { createRetention } from './retention/retention.ts'
import type { StatsQuery } from './statistics/period.ts'
import { createCompaction } from './statistics/rollups/compaction.ts'
import { createStatsReader } from './statistics/statistics.read.ts'
import { createNameDictionary } from './store/names.store.ts'
import { createRunPartitions } from './store/partitions.ts'
import type { RunSettings } from './store/settings.ts'

export type RunsDeps = {
  readonly db: Db
  readonly history: History
  readonly bus: Bus
  readonly deletion: Pick<DeletionClock, 'now'>
  /** Returns true if this instance removes and compacts rows; by default it does. */
  readonly isResponsible?: () => boolean
  /** True if other instances have the ids of names in memory, so that names are never removed. */
  readonly keepsNames?: boolean
  readonly settings: () => RunSettings
  readonly payloadFolder: string
  readonly payloadLimits?: PayloadLimits
  /** The store of captured input and output outside a database; null: the database itself. */
  readonly objects?: ObjectStore | null
  /** The id of the store: the index of captured texts belongs to one store. */
  readonly storeId?: string | null
  /** Maximum number of runs whose statistics are read from rows, so that percentiles are exact. */
  readonly maxExactRuns?: number
  /** Maximum size of what readers share, in bytes of JSON for each kind of read; with 0, nothing is shared. */
  readonly sharedBytes?: number
  /** Returns the connected client that a request names, or null. */
  readonly clientOf?: (ctx: Context) => RequestClient | null
  /** Returns the keyed hash under which an end user is stored. */
  readonly hashEndUser: (endUser: string) => string
  /** Receives stored runs when they are on disk. It must not throw. */
  readonly onStored?: NonNullable<IngestDeps['onStored']>
  /** Counts what calls with budgets used. */
  readonly addUsage?: AddBudgetUsage
  /** Receives errors for which no caller waits. */
  readonly onError: (error: unknown) => void
  /** Size of new partitions of the run log, if the engine has them. */
  readonly partitionBy?: PartitionUnit
}

type ExportQuery = InputOf<typeof endpoints.export>['query']

export type Captured = Pick<Payloads, 'append' | 'read'> & {
  /** Returns the capture mode of the workspace, lowered to `requested` if that is less. */
  modeOf(workspaceId: string, requested: CaptureMode | null): Promise<CaptureMode>
}

export type RunsService = {
  /** Lists runs. `signal` ends a search in captured text whose caller has disconnected. */
  list(ctx: Context, query: ListQuery, signal?: AbortSignal): Promise<RunPage>
  /** `id`: that of the run, or of a call through the gateway. */
  get(ctx: Context, id: number | string): Promise<RunDetail>
  /** Stores reports. Returns a single run completely, a batch as ids. */
  report(ctx: Context, body: RunReport | RunReport[]): Promise<Run | { id: number }[]>
  /** Stores a call that the service made; `reported` is false. */
  record: RecordCall
  stats(ctx: Context, query: StatsQuery): Promise<RunStats>
  /** Returns the failed runs, grouped by normalized message. */
  errors(ctx: Context, query: ErrorsQuery): Promise<RunErrors>
  readonly sessions: SessionReader
  /** Returns the variables and versions in recorded runs of a prompt since a time. */
  usage(of: Parameters<typeof readUsage>[2]): ReturnType<typeof readUsage>
  export(ctx: Context, query: ExportQuery): Promise<Download>
  readonly removal: RunRemoval
  /** Capture for records that consist of runs, such as executions. */
  readonly captured: Captured
  /** Continues the work of an earlier process: compaction, and the index of captured texts. */
  start(): Promise<void>
  /** Applies retention and compacts roll-ups. Called by a timer, and when settings change. */
  maintain(): Promise<{ removed: number }>
  /** Ends after the work in progress. */
  close(): Promise<void>
}

/** Creates the parts of the run log and connects them. */
function createParts(deps: RunsDeps, signal: AbortSignal) {
  const { db, settings, payloadLimits } = deps
  const lock = createReadWriteLock()
  const names = createNameDictionary({ hashEndUser: deps.hashEndUser })
  const { payloadFolder, storeId, onError } = deps
  const limits = () => payloadLimits ?? payloadLimitsOf(settings())
  const captured = {
    db,
    payloadFolder,
    storeId: storeId ?? '',
    limits,
    objects: deps.objects ?? null,
    onError,
  }
  const { payloads, content } = openCaptured(captured)
  const clientOf = deps.clientOf ?? (() => null)
  const compaction = createCompaction({ db, lock, signal, onError: deps.onError })
  const stats = createStatsReader({ ...deps, names, lock })
  const partitions = createRunPartitions({ db, unit: deps.partitionBy ?? 'month', onError })
  const shared = { ...deps, lock, names, payloads, compaction, partitions }
  return {
    names,
    payloads,
    content,
    compaction,
    stats,
    reader: createRunReader(
      { db, names, stats, payloads, content, capture: () => settings().capture },
      deps.sharedBytes,
    ),
    sessions: createSessionReader({ db, names, payloads }),
    ingest: createIngest({ ...shared, clientOf }),
    retention: createRetention({ ...shared, signal }),
    removal: createRunRemoval({ ...shared, signal }),
  }
}
type Parts = ReturnType<typeof createParts>

export function createRunsService(deps: RunsDeps): RunsService {
  const { db, settings, onError } = deps
  const stopping = new AbortController()
  const parts = createParts(deps, stopping.signal)
  const { compaction, payloads, reader, retention, stats } = parts
  let maintenance: Promise<{ removed: number }> | null = null

  return {
    captured: {
      append: payloads.append,
      read: payloads.read,
      modeOf: (workspaceId, requested) => captureMode(db.read, workspaceId, settings().capture, requested),
    },
    list: (ctx, query, signal) => reader.list(ctx.scope, query, ctx.now, signal),
    get: (ctx, id) => getRun(parts, ctx.scope, id),
    sessions: parts.sessions,
    removal: parts.removal,
    stats: (ctx, query) => stats.stats(ctx.scope, query, ctx.now),
    errors: (ctx, query) => readErrors(db.read, parts.names, ctx.scope, query),
    usage: (of) => readUsage(db.read, parts.names, of),
    report: (ctx, body) => report(parts, ctx, body),
    async record(ctx, record, claim) {
      const submission = { ctx, reports: [record], isBatch: false, isReported: false, claim }
      const [stored] = await parts.ingest.submit(submission)
      return stored === undefined ? null : completeRun(parts, everyWorkspace, stored)
    },
    export: (ctx, query) => exportRuns(deps, parts, ctx, query),

    async start() {
      await compaction.start()
      await parts.content.start()
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
      await compaction.idle().catch(onError)
      await parts.content.close().catch(onError)
      await payloads.close()
    },
  }
}

async function getRun({ reader }: Parts, scope: Scope, id: number | string): Promise<RunDetail> {
  const run = await reader.get(scope, id)
  if (run === null) throw fail('not_found', { detail: `Run ${id} not found.` })
  return run
}

/** Returns the complete run. For a repeated report, this is the first run, with the fields of a list. */
async function completeRun(parts: Parts, scope: Scope, { id, run }: StoredRun): Promise<Run> {
  return run ?? Run.parse(await getRun(parts, scope, id))
}

async function report(parts: Parts, ctx: Context, body: RunReport | RunReport[]) {
  const isBatch = Array.isArray(body)
  const reports = isBatch ? body : [body]
  const stored = await parts.ingest.submit({ ctx, reports, isBatch, isReported: true })
  if (isBatch) return stored.map(({ id }) => ({ id }))
  const [only] = stored
  if (only === undefined) throw new Error('A run was neither stored nor refused')
  return completeRun(parts, ctx.scope, only)
}

async function exportRuns(
  { db, history }: RunsDeps,
  { reader }: Parts,
  ctx: Context,
  { format, ...query }: ExportQuery,
): Promise<Download> {
  if (query.content !== undefined) await reader.requireComplete()
  const filters = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const suffix = filters.length === 0 ? '' : `, filtered by ${filters.sort().join(', ')}`
  return {
    filename: `runs-${ctx.now.toISOString().slice(0, 10)}.${format}`,
    contentType: contentTypes[format],
    async open() {
      // Record the export before the first byte, so that it is in the audit log even if it does not finish.
      await db.write(
        (tx) =>
          history.record(tx, ctx, {
            action: 'export',
            resource: 'run',
            resourceId: null,
            key: null,
            summary: `Exported the run log as ${format === 'csv' ? 'CSV' : 'JSON Lines'}${suffix}`,
          }),
        { evenWhenFull: true },
      )
      return exportChunks(format, reader.chunks(ctx.scope, query))
    },
  }
}
