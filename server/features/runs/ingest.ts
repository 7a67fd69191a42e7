import type { Run, RunReport } from '../../../contract/run.ts'
import type { CallRecord } from '../../calls/record.ts'
import type { Db, Tx } from '../../db/types.ts'
import type { Bus } from '../../history/bus.ts'
import type { Context } from '../../lib/context.ts'
import { Problem } from '../../lib/fail.ts'
import { createBreath } from './breath.ts'
import type { CapturedRuns } from './capture.ts'
import type { Gate } from './gate.ts'
import { createCapturing } from './ingest.capture.ts'
import { refusalOf } from './ingest.check.ts'
import { insertRun, reporterOf } from './ingest.row.ts'
import { draftOf, findingsOf, type RunSettings, refuse } from './intake.ts'
import type { Names } from './names.store.ts'
import type { Payloads } from './payloads.ts'
import { countRun, type Deltas, writeDeltas } from './rollups.store.ts'
import { workspaceIdOf } from './runs.filters.ts'
import { runStore } from './runs.store.ts'

/** The runs of one request: a single run, or a batch that is stored completely or not at all. */
export type Submission = {
  readonly ctx: Context
  readonly reports: readonly (RunReport | CallRecord)[]
  /** True if errors name the item of the batch. */
  readonly isBatch: boolean
  /** False if the service made the call itself. */
  readonly isReported: boolean
  /**
   * Runs first in the same transaction. If it returns false, the runs are already in the log and none is
   * added. A submission with a claim is also accepted by a store that has reached its limit.
   */
  readonly claim?: (tx: Tx) => Promise<boolean>
}
/**
 * A stored run. `run` is null in a batch, and for a repeated `client_run_id`, where `id` is that of the first
 * one.
 */
export type Kept = { readonly id: number; readonly run: Run | null }
export type Ingest = { submit(submission: Submission): Promise<Kept[]> }

type Job = Submission & { resolve(kept: Kept[]): void; reject(error: unknown): void }

const mostPerTransaction = 500

/**
 * Creates the ingest. Submissions that wait for the same sync share a transaction, which gives most of the
 * throughput with 50 concurrent callers.
 */
export function createIngest(deps: {
  readonly db: Db
  readonly gate: Gate
  readonly names: Names
  readonly bus: Bus
  readonly payloads: Payloads
  readonly settings: () => RunSettings
  readonly clientIdOf: (ctx: Context) => string | null
  /** Receives errors that do not cause a refusal. */
  readonly onError: (error: unknown) => void
  /** Called with the number of roll-up cells that a commit added. */
  readonly onCells: (added: number) => void
}): Ingest {
  const { db, gate, names, bus } = deps
  const queue: Job[] = []
  let isRunning = false
  let newest = 0
  const capturing = createCapturing(deps)

  async function run(): Promise<void> {
    isRunning = true
    while (queue.length > 0) {
      const jobs: Job[] = []
      let size = 0
      for (;;) {
        const next = queue[0]
        if (next === undefined || (size > 0 && size + next.reports.length > mostPerTransaction)) break
        queue.shift()
        jobs.push(next)
        size += next.reports.length
      }
      // The next transaction is filled while this one is synced; submissions that arrive meanwhile share it.
      await new Promise<void>((done) => void keepTogether(jobs, done).then(done))
    }
    isRunning = false
  }

  /**
   * Resolves or rejects every job. Calls `onWritten` when its statements are done and only the disk is
   * awaited.
   */
  async function keepTogether(
    jobs: readonly Job[],
    onWritten: () => void,
    evenWhenFull = false,
  ): Promise<void> {
    try {
      const settings = deps.settings()
      const accepted = jobs.filter((job) => settle(job, () => check(job, settings)))
      if (accepted.length === 0) return
      const now = accepted[0]?.ctx.now ?? new Date(newest)
      const how = { setting: settings.capture, now, evenWhenFull }
      const places = await capturing.capture(
        accepted.flatMap((job) => job.reports),
        how,
      )
      const refused = new Map<Job, unknown>()
      const kept = await gate.write((leave) =>
        db.write(
          async (tx) => {
            const written = await write(tx, accepted, places, settings, (job, why) => refused.set(job, why))
            leave()
            onWritten()
            return written
          },
          { evenWhenFull },
        ),
      )
      for (const job of accepted) {
        if (refused.has(job)) job.reject(refused.get(job))
        else job.resolve(kept.get(job) ?? [])
      }
    } catch (error) {
      const claiming = jobs.filter(({ claim }) => claim !== undefined)
      if (isFull(error) && claiming.length > 0 && !evenWhenFull) {
        for (const job of jobs) if (job.claim === undefined) job.reject(error)
        await keepTogether(claiming, onWritten, true)
      } else if (jobs.length === 1 || error instanceof Problem) {
        for (const job of jobs) job.reject(error)
      } else {
        // One job may be the cause, so each is tried alone.
        for (const job of jobs) await keepTogether([job], () => undefined, evenWhenFull)
      }
    }
  }

  function check({ reports, isBatch, isReported, ctx }: Job, settings: RunSettings): void {
    if (!isReported) return
    const now = ctx.now.getTime()
    refuse(reports.flatMap((report, index) => findingsOf(report, isBatch ? index : null, now, settings)))
  }

  async function write(
    tx: Tx,
    jobs: readonly Job[],
    places: CapturedRuns,
    settings: RunSettings,
    refuseJob: (job: Job, why: unknown) => void,
  ): Promise<Map<Job, Kept[]>> {
    const breathe = createBreath()
    const workspaces = new Map<string, string | null>()
    const workspaceOf = async (given: string) => {
      const known = workspaces.get(given)
      if (known !== undefined) return known
      const id = await workspaceIdOf(tx.q, given)
      workspaces.set(given, id)
      return id
    }
    const before = await runStore.lastId(tx.q)
    let lastId = before
    const deltas: Deltas = new Map()
    const kept = new Map<Job, Kept[]>()

    for (const job of jobs) {
      const { reports, isBatch, ctx, isReported } = job
      if (job.claim !== undefined && !(await job.claim(tx))) {
        kept.set(job, [])
        continue
      }
      const found = await Promise.all(reports.map((report) => workspaceOf(report.workspace_id ?? 'default')))
      const located = { ...job, isOwnCall: job.claim !== undefined, workspaceIds: found }
      const isRepeated = async (id: string) => (await firstOf(tx, ctx, id)) !== undefined
      const refusal = await refusalOf(tx, names, located, isRepeated)
      if (refusal !== null) {
        refuseJob(job, refusal)
        continue
      }
      newest = Math.max(newest, ctx.now.getTime())
      const written: Kept[] = []
      const clientId = deps.clientIdOf(ctx)
      kept.set(job, written)
      for (const [index, report] of reports.entries()) {
        const draft = draftOf(report, newest, found[index] ?? report.workspace_id ?? '', settings)
        const repeated = await firstOf(tx, ctx, draft.clientRunId)
        if (repeated !== undefined) {
          written.push({ id: repeated, run: null })
          continue
        }
        const own = places.get(report)
        // After a retry, a reserved id may already be below the last assigned id.
        lastId = own !== undefined && own.id > lastId ? own.id : lastId + 1
        const row = await insertRun(tx, names, {
          id: lastId,
          draft,
          ctx,
          isReported,
          clientId,
          place: own?.id === lastId ? own.place : undefined,
          isShown: !isBatch,
        })
        countRun(deltas, row.stored, 1)
        written.push({ id: lastId, run: row.wire })
        await breathe()
      }
    }
    if (lastId > before) {
      capturing.given(lastId)
      await runStore.setLastId(tx.q, { value: lastId })
      const added = await writeDeltas(tx.q, deltas, breathe)
      tx.afterCommit(() => {
        deps.onCells(added)
        bus.announce({ kind: 'runs' })
      })
    }
    return kept
  }

  async function firstOf(tx: Tx, ctx: Context, clientRunId: string | null): Promise<number | undefined> {
    if (clientRunId === null) return undefined
    const reporter = await names.find(tx.q, 'reporter', reporterOf(ctx))
    return reporter === null ? undefined : runStore.findReported(tx.q, reporter, clientRunId)
  }

  return {
    submit: (submission) =>
      new Promise((resolve, reject) => {
        queue.push({ ...submission, resolve, reject })
        if (!isRunning) void run()
      }),
  }
}

const isFull = (error: unknown): boolean => error instanceof Problem && error.code === 'store.full'

/** Runs a check. If it throws, the job is rejected at once. */
function settle(job: Job, work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    job.reject(error)
    return false
  }
}
