import type { RunReport } from '../../contract/runs/run.ts'
import type { RunsService } from '../features/runs/runs.service.ts'
import type { Actor, Context } from '../lib/context.ts'
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
    readonly onProgress?: (done: number) => void
  },
): Promise<void> {
  const { count, days, now, actors, onProgress } = options
  const random = createRandom(options.seed ?? 1)
  let done = 0
  let calls: Promise<unknown>[] = []
  let reports: RunReport[] = []
  let number = 0

  const context = (): Context => {
    const actor = actors[Math.floor(random() * random() * actors.length)]
    if (actor === undefined) throw new Error('Runs need somebody who reports them')
    number += 1
    return {
      actor,
      requestId: `seed_${number}`,
      ip: '127.0.0.1',
      userAgent: 'promptdeck-seed',
      instanceId: null,
      now,
    }
  }
  const call = () => {
    if (reports.length > 0) calls.push(runs.report(context(), reports))
    done += reports.length
    reports = []
  }
  const awaitCalls = async () => {
    await Promise.all(calls)
    calls = []
    onProgress?.(done)
  }

  for (const at of seedTimes(random, count, days, now.getTime())) {
    reports.push(seedRun(random, at))
    if (reports.length < runsPerCall) continue
    call()
    if (calls.length === maxConcurrentCalls) await awaitCalls()
  }
  call()
  await awaitCalls()
}
