import type { RunReport } from '../../contract/runs/run.ts'
import type { RunsService } from '../features/runs/runs.service.ts'
import type { Actor, Context } from '../lib/context.ts'
import { everyWorkspace } from '../lib/scope.ts'
import { seedContent } from './seed-content.ts'
import { createRandom, seedRun, seedTimes } from './seed-data.ts'

/** Runs per call. Each call has one actor; concurrent calls share a transaction. */
const runsPerCall = 125
const maxConcurrentCalls = 8

/** Fills the run log with `count` plausible runs through the service, oldest first. */
export async function seedRuns(
  runs: Pick<RunsService, 'report'>,
  options: {
    readonly count: number
    readonly days: number
    readonly now: Date
    readonly actors: readonly Actor[]
    readonly seed?: number
    /** Number of runs with input and output: the newest ones. */
    readonly captured?: number
    readonly onProgress?: (done: number) => void
  },
): Promise<void> {
  const { count, days, now, actors, onProgress, captured = 0 } = options
  const random = createRandom(options.seed ?? 1)
  let done = 0
  let calls: Promise<unknown>[] = []
  let reports: RunReport[] = []
  let number = 0

  // The time of a captured run selects the day of its payload.
  const context = (at: Date): Context => {
    const actor = actors[Math.floor(random() * random() * actors.length)]
    if (actor === undefined) throw new Error('At least one actor must report runs')
    number += 1
    return {
      actor,
      scope: everyWorkspace,
      requestId: `seed_${number}`,
      ip: '127.0.0.1',
      userAgent: 'promptdeck-seed',
      instanceId: null,
      now: at,
    }
  }
  const call = () => {
    const last = reports.at(-1)
    const at = last?.output == null ? now : new Date(last.created_at ?? now)
    if (reports.length > 0) calls.push(runs.report(context(at), reports))
    done += reports.length
    reports = []
  }
  const awaitCalls = async () => {
    await Promise.all(calls)
    calls = []
    onProgress?.(done)
  }

  for (const at of seedTimes(random, count, days, now.getTime())) {
    const isCaptured = done + reports.length >= count - captured
    reports.push({ ...seedRun(random, at), ...(isCaptured && seedContent(random)) })
    if (reports.length < runsPerCall) continue
    call()
    if (calls.length === maxConcurrentCalls) await awaitCalls()
  }
  call()
  await awaitCalls()
}
