import type { Run, RunReport } from '../../../contract/run.ts'
import type { Db, Tx } from '../../db/types.ts'
import type { Bus } from '../../history/bus.ts'
import type { Context } from '../../lib/context.ts'
import { fail, Problem } from '../../lib/fail.ts'
import { createBreath } from './breath.ts'
import type { Gate } from './gate.ts'
import { insertRun, reporterOf } from './ingest.row.ts'
import { type Draft, draftOf, findingsOf, pathOf, type RunSettings, refuse } from './intake.ts'
import type { Names } from './names.store.ts'
import type { Payload, PayloadPlace, Payloads } from './payloads.ts'
import { redact, redactText } from './redact.ts'
import { countRun, type Deltas, writeDeltas } from './rollups.store.ts'
import { workspaceIdOf } from './runs.filters.ts'
import { runStore } from './runs.store.ts'

/** One call: a run, or a batch that is kept whole or not at all. */
export type Submission = {
  readonly ctx: Context
  readonly reports: readonly RunReport[]
  /** Errors of a batch name the item. */
  readonly isBatch: boolean
  /** False when the service made the call itself. */
  readonly isReported: boolean
}
/** `run` is null in a batch, and for a repeated `client_run_id`, where the first one stands. */
export type Kept = { readonly id: number; readonly run: Run | null }
export type Ingest = { submit(submission: Submission): Promise<Kept[]> }

type Job = Submission & { resolve(kept: Kept[]): void; reject(error: unknown): void }

const mostPerTransaction = 500

/** Submissions that wait for the same sync share a transaction: at 50 callers that is most of the speed. */
export function createIngest(deps: {
  readonly db: Db
  readonly gate: Gate
  readonly names: Names
  readonly bus: Bus
  readonly payloads: Payloads
  readonly settings: () => RunSettings
  readonly clientIdOf: (ctx: Context) => string | null
  /** Told how many unfolded roll-up cells a commit added. */
  readonly onCells: (added: number) => void
}): Ingest {
  const { db, gate, names, bus, payloads } = deps
  const queue: Job[] = []
  let isRunning = false
  let newest = 0

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
      // The next transaction is filled while this one is synced; those that arrive meanwhile share it.
      await new Promise<void>((done) => void keepTogether(jobs, done).then(done))
    }
    isRunning = false
  }

  /** Answers every job; calls `onWritten` once its statements are done and only the disk is waited for. */
  async function keepTogether(jobs: readonly Job[], onWritten: () => void): Promise<void> {
    try {
      const settings = deps.settings()
      const accepted = jobs.filter((job) => settle(job, () => check(job, settings)))
      if (accepted.length === 0) return
      const places = await capture(accepted, settings)
      const refused = new Map<Job, unknown>()
      const kept = await gate.write((leave) =>
        db.write(async (tx) => {
          const written = await write(tx, accepted, places, settings, (job, why) => refused.set(job, why))
          leave()
          onWritten()
          return written
        }),
      )
      for (const job of accepted) {
        if (refused.has(job)) job.reject(refused.get(job))
        else job.resolve(kept.get(job) ?? [])
      }
    } catch (error) {
      if (jobs.length === 1 || error instanceof Problem) {
        for (const job of jobs) job.reject(error)
      } else {
        // One of them may be the cause: the others must not suffer for it.
        for (const job of jobs) await keepTogether([job], () => undefined)
      }
    }
  }

  function check({ reports, isBatch, ctx }: Job, settings: RunSettings): void {
    const now = ctx.now.getTime()
    refuse(reports.flatMap((report, index) => findingsOf(report, isBatch ? index : null, now, settings)))
  }

  /** Input and output go to their file first, so that a row never points at something not written. */
  async function capture(jobs: readonly Job[], { capture: mode }: RunSettings) {
    const places = new Map<RunReport, PayloadPlace>()
    if (mode === 'off') return places
    const reports = jobs.flatMap((job) =>
      job.reports.filter(({ input, output }) => (input ?? output ?? null) !== null),
    )
    const [first] = jobs
    if (reports.length === 0 || first === undefined) return places
    const taken = reports.map(({ input = null, output = null }): Payload => {
      if (mode === 'full') return { input, output }
      return { input: redact(input), output: output === null ? null : redactText(output) }
    })
    const found = await payloads.append(first.ctx.now, taken).catch((error: unknown) => {
      const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC'
      throw isFull ? fail('store.full', { cause: error }) : error
    })
    reports.forEach((report, index) => {
      const place = found[index]
      if (place !== null && place !== undefined) places.set(report, place)
    })
    return places
  }

  async function write(
    tx: Tx,
    jobs: readonly Job[],
    places: ReadonlyMap<RunReport, PayloadPlace>,
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
      const found = await Promise.all(reports.map((report) => workspaceOf(report.workspace_id ?? 'default')))
      const missing = found.flatMap((id, index) =>
        id === null
          ? [{ path: pathOf(isBatch ? index : null, 'workspace_id'), message: 'There is no such workspace' }]
          : [],
      )
      if (missing.length > 0) {
        try {
          refuse(missing)
        } catch (error) {
          refuseJob(job, error)
        }
        continue
      }
      newest = Math.max(newest, ctx.now.getTime())
      const own: Kept[] = []
      kept.set(job, own)
      for (const [index, report] of reports.entries()) {
        const draft = draftOf(report, newest, found[index] ?? '', settings)
        const repeated = await firstOf(tx, ctx, draft)
        if (repeated !== undefined) {
          own.push({ id: repeated, run: null })
          continue
        }
        lastId += 1
        const row = await insertRun(tx, names, {
          id: lastId,
          draft,
          ctx,
          isReported,
          clientId: deps.clientIdOf(ctx),
          place: places.get(report),
          isShown: !isBatch,
        })
        countRun(deltas, row.stored, 1)
        own.push({ id: lastId, run: row.wire })
        await breathe()
      }
    }
    if (lastId > before) {
      await runStore.setLastId(tx.q, { value: lastId })
      const added = await writeDeltas(tx.q, deltas, breathe)
      tx.afterCommit(() => {
        deps.onCells(added)
        bus.announce({ kind: 'runs' })
      })
    }
    return kept
  }

  async function firstOf(tx: Tx, ctx: Context, draft: Draft): Promise<number | undefined> {
    if (draft.clientRunId === null) return undefined
    const reporter = await names.find(tx.q, 'reporter', reporterOf(ctx))
    return reporter === null ? undefined : runStore.findReported(tx.q, reporter, draft.clientRunId)
  }

  return {
    submit: (submission) =>
      new Promise((resolve, reject) => {
        queue.push({ ...submission, resolve, reject })
        if (!isRunning) void run()
      }),
  }
}

/** Runs a check; a job that fails it is answered at once. */
function settle(job: Job, work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    job.reject(error)
    return false
  }
}
