import { hourMs } from '../../../server/lib/durations.ts'
import { digits, median, percentOf } from '../../frame/figure.ts'
import { alternating, type Bench, type Group, roundsOf } from '../../frame/group.ts'
import { post, type Request, send } from '../../frame/load.ts'
import type { Process } from '../../frame/processes.ts'
import { report } from '../fill.ts'
import { runsSince, statsSince } from '../reads.ts'
import { measureFanOut, onDatabase } from './fan-out.ts'

type Subjects = Readonly<Record<'embedded' | 'postgres', Process>>
type Measured = Request & {
  readonly name: string
  readonly connections: number
  /**
   * Requests of a burst; a fifth of them with `--quick`. Their number is fixed, because a fixed time could
   * end before a slow reply.
   */
  readonly requests: number
  /** Runs per request; 0 for reads. */
  readonly runs: number
}

const perBatch = 100
/** Number of requests sent so far, with which `distinct` makes a different path for each. */
let sent = 0
const readLoads: readonly Measured[] = [
  { name: '50 runs, each time another period', path: runsSince(0), distinct: runsSince },
  {
    name: '50 runs of a provider, each time another period',
    path: `${runsSince(0)}&provider=openai`,
    distinct: (n: number) => `${runsSince(n)}&provider=openai`,
  },
  { name: 'statistics of 7 days, each time another period', path: statsSince(0), distinct: statsSince },
  { name: 'statistics of 7 days, again unchanged', path: statsSince(0) },
].map((read) => ({ ...read, connections: 5, requests: 200, runs: 0 }))

const batch = () => JSON.stringify(Array.from({ length: perBatch }, () => report()))
const single = JSON.stringify(report())
const writeLoads: readonly Measured[] = [
  { name: 'ingest, 1 connection', connections: 1, requests: 100, body: single, runs: 1 },
  { name: 'ingest, 50 connections', connections: 50, requests: 500, body: single, runs: 1 },
  {
    name: 'ingest, 1 connection, batches of 100',
    connections: 1,
    requests: 25,
    body: batch(),
    runs: perBatch,
  },
  {
    name: 'ingest, 50 connections, batches of 100',
    connections: 50,
    requests: 250,
    body: batch(),
    runs: perBatch,
  },
].map((write) => ({ ...write, path: '/api/runs', method: 'POST' }))

/** The service on PostgreSQL, in one and in three instances, against the service on the embedded store. */
export const engines: Group = {
  name: 'engines',
  async measure(bench) {
    const subjects: Subjects = {
      embedded: await bench.processes.service(),
      postgres: await onDatabase(bench, await bench.processes.postgres()),
    }
    await fillAlike(subjects, bench.isQuick ? 5000 : 20_000)
    await measureFanOut(bench, subjects)
    // Reads first, because the engines do not store the same number of runs in the same time.
    for (const measured of [...readLoads, ...writeLoads]) await compareLoad(bench, subjects, measured)
  },
}

/** Stores the same runs of 7 days in both. */
async function fillAlike(subjects: Subjects, runs: number): Promise<void> {
  for (let n = 0; n < runs; n += perBatch) {
    const reports = Array.from({ length: perBatch }, (_, index) =>
      report(1000 + ((n + index) / runs) * 167 * hourMs),
    )
    for (const subject of Object.values(subjects)) await post(subject, '/api/runs', reports)
  }
}

/** Sends the requests over a number of connections, and returns their number per second. */
async function rateOf(target: Process, measured: Measured, requests: number): Promise<number> {
  const startedAt = performance.now()
  let left = requests
  const worker = async () => {
    while (left > 0) {
      left -= 1
      sent += 1
      await send(target, { ...measured, path: measured.distinct?.(sent) ?? measured.path })
    }
  }
  await Promise.all(Array.from({ length: measured.connections }, worker))
  return (requests / (performance.now() - startedAt)) * 1000
}

async function compareLoad(bench: Bench, subjects: Subjects, measured: Measured): Promise<void> {
  const { name, runs } = measured
  const requests = bench.isQuick ? measured.requests / 5 : measured.requests
  const rates: Record<keyof Subjects, number[]> = { embedded: [], postgres: [] }
  const names = ['embedded', 'postgres'] as const
  for (const subject of names) await rateOf(subjects[subject], measured, requests)
  for (const round of roundsOf(bench))
    for (const subject of alternating(round, names))
      rates[subject].push(await rateOf(subjects[subject], measured, requests))
  const shown = (subject: keyof Subjects) => digits(median(rates[subject]) * Math.max(1, runs))
  bench.add({
    name: `PostgreSQL: ${name}`,
    against: 'the embedded store, requests per second',
    unit: '%',
    better: 'higher',
    values: percentOf(rates.embedded, rates.postgres),
    detail: `${shown('postgres')} against ${shown('embedded')} ${runs > 0 ? 'runs/s' : 'requests/s'}`,
  })
  await bench.profiled(subjects.postgres, name, () => rateOf(subjects.postgres, measured, requests))
}
