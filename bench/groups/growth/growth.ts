import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { digits, median, ownClock, quantile, ratios } from '../../frame/figure.ts'
import { alternating, type Bench, type Group, roundsOf } from '../../frame/group.ts'
import { post, send } from '../../frame/load.ts'
import { report } from '../fill.ts'
import { type GrowthQuery, queries } from './queries.ts'
import { goalAt, type Log, measureBatches, measureExport, measureStart, settingsOf } from './store.ts'

const seedTool = join(import.meta.dirname, '../../../bundle/service/seed.js')
/** Number of requests for a first page in each round. */
const requests = 20

/** The size that the goals are for. */
const goalSize = 1_000_000

/** Compares queries of a large run log with the same queries of the smallest one, in alternating order. */
export const growth: Group = {
  name: 'growth',
  async measure(bench) {
    const sizes = bench.isQuick ? [2000, 10_000] : [10_000, 100_000, 1_000_000]
    if (bench.isLarge) sizes.push(3_000_000)
    // Together, because filling the largest ones takes minutes and one processor each.
    const logs = await Promise.all(sizes.map((runs) => createLog(bench, runs)))
    const measured = bench.isQuick ? queries.filter((_, n) => n % 6 === 0) : queries
    for (const query of measured) await measureQuery(bench, logs, query)
    const started: Log[] = []
    for (const log of bench.isQuick ? logs.slice(-1) : logs) started.push(await measureStart(bench, log))
    const large = comparedOf(started)
    await measureExport(bench, large)
    await measureBatches(bench, large)
  },
}

async function createLog({ processes }: Bench, runs: number): Promise<Log> {
  const folder = processes.newFolder()
  const settings = settingsOf({ runs, folder })
  await promisify(execFile)(process.execPath, [seedTool, '--runs', String(runs)], {
    env: { ...process.env, ...settings },
  })
  return { runs, folder, service: await processes.service(settings) }
}

/** Returns the log of the size that the goals are for, else the largest. */
function comparedOf(logs: readonly Log[]): Log {
  const found = logs.find(({ runs }) => runs === goalSize) ?? logs.at(-1)
  if (found === undefined) throw new Error('there is no log')
  return found
}

/** Returns the p95 in milliseconds of first pages, each requested for the first time since the last write. */
async function p95Of({ service }: Log, { path, distinct }: GrowthQuery): Promise<number> {
  await post(service, '/api/runs', report())
  const times: number[] = []
  for (let n = 0; n < requests; n += 1) {
    const startedAt = performance.now()
    await send(service, { path: distinct(path, n) })
    times.push(performance.now() - startedAt)
  }
  return quantile(times, 0.95)
}

async function measureQuery(bench: Bench, logs: readonly Log[], query: GrowthQuery): Promise<void> {
  const found = new Map<Log, number[]>(logs.map((log) => [log, []]))
  for (const log of logs) await p95Of(log, query)
  for (const round of roundsOf(bench))
    for (const log of alternating(round, logs)) found.get(log)?.push(await p95Of(log, query))
  const [small, large] = [logs[0], comparedOf(logs)]
  if (small === undefined || small === large) throw new Error('a comparison needs two sizes')
  const timesOf = (log: Log) => found.get(log) ?? []
  const common = { name: `${query.name}, p95 at ${large.runs} runs`, better: 'lower' } as const
  bench.add({
    ...common,
    against: `${small.runs} runs`,
    unit: '×',
    values: ratios(timesOf(small), timesOf(large)),
    goal: 1.3,
    // The figure below has the time of the large log.
    detail: logs
      .filter((log) => log !== large)
      .map((log) => `${log.runs}: ${digits(median(timesOf(log)))} ms`)
      .join(', '),
  })
  bench.add({
    ...common,
    against: ownClock,
    unit: 'ms',
    values: timesOf(large),
    ...goalAt(large.runs, query.goal),
  })
  await bench.profiled(large.service, query.name, () => p95Of(large, query))
}
