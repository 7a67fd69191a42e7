import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { digits, median, ownClock } from '../../frame/figure.ts'
import { type Bench, roundsOf } from '../../frame/group.ts'
import { load, send } from '../../frame/load.ts'
import { type Process, token } from '../../frame/processes.ts'
import { report } from '../fill.ts'

export type Log = { readonly runs: number; readonly folder: string; readonly service: Process }

/** Returns the environment of the service of a log. 3 M runs need more than the default `MAX_STORE_MB`. */
export const settingsOf = ({ runs, folder }: Pick<Log, 'runs' | 'folder'>): NodeJS.ProcessEnv => ({
  DATA_DIR: folder,
  ...(runs > 1_000_000 && { MAX_STORE_MB: '2048' }),
})

/** Returns a goal that applies only to 1 M runs: logs of other sizes have other ratios. */
export const goalAt = (runs: number, goal: number): { readonly goal?: number } =>
  runs === 1_000_000 ? { goal } : {}

/** Measures restarts of the service of a log until it replies to a query. Returns the log with its new process. */
export async function measureStart(bench: Bench, log: Log): Promise<Log> {
  const times: number[] = []
  let { service } = log
  for (const _ of roundsOf(bench)) {
    await service.end()
    const startedAt = performance.now()
    service = await bench.processes.service(settingsOf(log))
    await send(service, { path: '/api/runs?limit=1' })
    times.push((performance.now() - startedAt) / 1000)
  }
  bench.add({
    name: `start with ${log.runs} runs`,
    against: ownClock,
    unit: 's',
    better: 'lower',
    values: times,
    ...goalAt(log.runs, 1.5),
    ...(log.runs === 3_000_000 && { goal: 4 }),
  })
  return { ...log, service }
}

function snapshotBytes(folder: string): number {
  const store = join(folder, 'store')
  const [newest] = readdirSync(store)
    .filter((name) => /^snapshot-\d+\.db$/.test(name))
    .sort()
    .toReversed()
  if (newest === undefined) throw new Error(`${store} has no snapshot`)
  return statSync(join(store, newest)).size
}

/** Compares the resident memory with the snapshot, idle and while batches are stored. */
export async function measureBatches(bench: Bench, { runs, folder, service }: Log): Promise<void> {
  const body = JSON.stringify(Array.from({ length: 100 }, () => report()))
  const seconds = bench.isQuick ? 1 : 10
  const [rates, stalls, idle, busy]: [number[], number[], number[], number[]] = [[], [], [], []]
  const burst = async () => {
    const { perSecond } = await load(
      service,
      { path: '/api/runs', method: 'POST', body },
      { connections: 10, seconds },
    )
    rates.push(perSecond * 100)
  }
  for (const _ of roundsOf(bench)) {
    idle.push((await service.memory()).rss / snapshotBytes(folder))
    const { stall, peak } = await service.watch(burst)
    stalls.push(stall)
    busy.push(peak / snapshotBytes(folder))
  }
  const memory = { against: 'the snapshot', unit: '×', better: 'lower' } as const
  const detail = `${digits(snapshotBytes(folder) / 1e6)} MB of snapshot`
  bench.add({
    ...memory,
    name: `resident memory at ${runs} runs`,
    values: idle,
    ...goalAt(runs, 1.5),
    detail,
  })
  bench.add({
    ...memory,
    name: `resident memory at most, with checkpoints, at ${runs} runs`,
    values: busy,
    ...goalAt(runs, 2.3),
  })
  const own = { against: ownClock, detail: '10 connections, with checkpoints' } as const
  const name = `batches of 100 at ${runs} runs`
  bench.add({ ...own, name, unit: 'runs/s', better: 'higher', values: rates, ...goalAt(runs, 25_000) })
  bench.add({
    ...own,
    name: `longest stall, ${name}`,
    unit: 'ms',
    better: 'lower',
    values: stalls,
    ...goalAt(runs, 15),
  })
}

/** Reads the export for a number of seconds, and returns the megabytes per second. */
async function readExport({ url }: Process, seconds: number): Promise<number> {
  const startedAt = performance.now()
  const reply = await fetch(`${url}/api/runs/export?format=jsonl`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (reply.body === null) throw new Error('The export is empty.')
  let bytes = 0
  for await (const chunk of reply.body) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the request.
    if (performance.now() - startedAt > seconds * 1000) break
  }
  return bytes / 1e6 / ((performance.now() - startedAt) / 1000)
}

export async function measureExport(bench: Bench, { runs, service }: Log): Promise<void> {
  const [rates, added]: [number[], number[]] = [[], []]
  const seconds = bench.isQuick ? 1 : 5
  for (const _ of roundsOf(bench)) {
    const { rss } = await service.memory()
    const { peak } = await service.watch(async () => rates.push(await readExport(service, seconds)))
    added.push((peak - rss) / 1e6)
  }
  bench.add({
    name: `export of ${runs} runs`,
    against: ownClock,
    unit: 'MB/s',
    better: 'higher',
    values: rates,
    ...goalAt(runs, 40),
    detail: `${digits(median(added))} MB of memory added at most`,
  })
  await bench.profiled(service, `export of ${runs} runs`, () => readExport(service, seconds))
}
