import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Run, RunReport } from '../../../contract/runs/run.ts'
import type { Db } from '../../../server/db/types.ts'
import type { PayloadLimits } from '../../../server/features/runs/payloads/payload-limits.ts'
import { createRunsService, type RunsService } from '../../../server/features/runs/runs.service.ts'
import type { RunFilter, ValueFilters } from '../../../server/features/runs/store/filters.ts'
import type { RunSettings } from '../../../server/features/runs/store/settings.ts'
import { createBus } from '../../../server/history/events/bus.ts'
import type { HistoryEvent } from '../../../server/history/history.ts'
import type { Actor, Context } from '../../../server/lib/context.ts'
import { scopeOf } from '../../../server/lib/scope.ts'
import type { RequestClient } from '../../../server/resources/connected-client.ts'
import { openTestStore, removeTestStore, type SharedStore } from '../../support/store.ts'

export const noon = Date.parse('2026-11-21T12:00:00.000Z')
export const minute = 60_000
export const hour = 3_600_000
export const day = 24 * hour
/** Returns a time in ms after noon of the day of the tests as text. */
export const at = (offset: number): string => new Date(noon + offset).toISOString()

export type RunLog = {
  readonly db: Db
  readonly runs: RunsService
  /** Opens the same runs as another service, which computes everything for each reader. */
  unshared(): RunsService
  readonly folder: string
  readonly recorded: HistoryEvent[]
  readonly announced: string[]
  readonly errors: unknown[]
  /** Settings that a test can change, effective immediately. */
  settings: RunSettings
  now: number
  /** Simulates a clock jump: nothing is deleted by age. */
  deletionPaused: boolean
  ctx(actor?: Partial<Actor>): Context
  /** Reports one run as the default user. */
  add(report?: Partial<RunReport>, actor?: Partial<Actor>): Promise<Run>
  /** Creates an execution of a workflow, to which runs can belong. */
  execution(id: string, workspaceId: string): Promise<string>
  close(): Promise<void>
}

export const minimal: RunReport = { provider: 'openai', model: 'gpt-4o', latency_ms: 100, status: 'ok' }

const none: ValueFilters = { columns: {}, statuses: undefined, tags: undefined }
/** The filter that every run matches. */
export const everyRun: RunFilter = {
  ...none,
  excluded: none,
  from: undefined,
  to: undefined,
  ranges: [],
  present: [],
  absent: [],
  metadata: [],
  words: [],
  visible: null,
  isWorkspaceFree: true,
}

export type RunLogOptions = {
  payloadLimits?: PayloadLimits
  maxExactRuns?: number
  partitionBy?: 'day' | 'month'
  clientOf?: (ctx: Context) => RequestClient | null
}

/**
 * Opens the run log on a real store; the test controls clock and settings. The store is new, or `shared`, which is emptied
 * when the log is closed.
 */
export async function openRunLog(options: RunLogOptions = {}, shared?: SharedStore): Promise<RunLog> {
  const folder = await mkdtemp(join(tmpdir(), 'promptdeck-runs-'))
  const db = shared?.db ?? (await openTestStore({ folder }))
  const bus = createBus()
  const createRuns = (sharedBytes?: number): RunsService =>
    createRunsService({
      db,
      bus,
      deletion: { now: () => (log.deletionPaused ? null : new Date(log.now)) },
      history: {
        async record(_tx, _ctx, event) {
          log.recorded.push(event)
        },
      },
      settings: () => log.settings,
      payloadFolder: join(folder, 'payloads'),
      hashEndUser: (endUser) => `#${endUser.length}`,
      onError: (error) => log.errors.push(error),
      ...options,
      ...(sharedBytes !== undefined && { sharedBytes }),
    })
  const log: RunLog = {
    db,
    folder,
    recorded: [],
    announced: [],
    errors: [],
    settings: {
      runRetentionDays: 90,
      capture: 'off',
      payloadRetentionDays: 7,
      payloadMaxMb: 1024,
      prices: [],
    },
    now: noon,
    deletionPaused: false,
    runs: createRuns(),
    unshared: () => createRuns(0),
    ctx: (actor = {}) => contextOf(log, actor),
    async add(report = {}, actor = {}) {
      const run = await log.runs.report(log.ctx(actor), { ...minimal, ...report })
      if (Array.isArray(run)) throw new Error('The reply to one run was that to a batch')
      return run
    },
    async execution(id, workspaceId) {
      await addExecution(db, id, workspaceId)
      return id
    },
    async close() {
      await log.runs.close()
      await (shared === undefined ? db.close() : shared.empty())
      await rm(folder, { recursive: true, force: true })
      await removeTestStore(folder)
    },
  }
  bus.listen(({ kind }) => log.announced.push(kind))
  await addWorkspaces(db)
  return log
}

function contextOf(log: RunLog, actor: Partial<Actor>): Context {
  const caller: Actor = { kind: 'user', id: 'u1', name: 'edda', role: 'viewer', sessionId: null, ...actor }
  return {
    actor: caller,
    scope: scopeOf(caller, null),
    requestId: 'request-1',
    ip: '127.0.0.1',
    userAgent: 'test',
    instanceId: null,
    now: new Date(log.now),
  }
}

async function addExecution(db: Db, id: string, workspaceId: string): Promise<void> {
  await db.write(({ q }) =>
    q
      .insertInto('workflow_runs')
      .values({
        id,
        workflow_id: 'w',
        workflow_key: 'flow',
        workspace_id: workspaceId,
        version: 1,
        status: 'running',
        error: null,
        failed_step: null,
        user: 'edda',
        user_id: null,
        capture: 'off',
        step_count: 1,
        resumed_from: null,
        resumed_step: null,
        request_id: null,
        created_at: noon,
        finished_at: null,
        latency_us: null,
        payload_day: null,
        payload_offset: null,
        payload_length: null,
      })
      .execute(),
  )
}

async function addWorkspaces(db: Db): Promise<void> {
  await db.write(async ({ q }) => {
    const defaults = {
      created_at: noon,
      updated_at: noon,
      description: '',
      name_folded: '',
      protected_envs: '',
    }
    await q
      .insertInto('workspaces')
      .values([
        { id: 'default', slug: 'default', name: 'Default', ...defaults },
        { id: 'w-sales', slug: 'sales', name: 'Sales', ...defaults },
        { id: 'w-lab', slug: 'lab', name: 'Lab', ...defaults },
      ])
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
}
