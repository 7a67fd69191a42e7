import { hourMs } from '../../server/lib/durations.ts'
import { digits, median, ownClock, quantile, ratios } from '../frame/figure.ts'
import { alternating, type Bench, type Group, roundsOf } from '../frame/group.ts'
import { send } from '../frame/load.ts'
import { pace } from '../frame/pace.ts'
import { type Process, token } from '../frame/processes.ts'
import { fetchPath, fill, report } from './fill.ts'

const clients = 200
/** Each of 20 users of the console requests a page every two seconds: its list, statistics, session and audit log. */
const consolePerSecond = (20 * 4) / 2

type Kind = {
  readonly name: string
  readonly perSecond: number
  readonly work: (service: Process, n: number) => Promise<unknown>
}

const weekAgo = Date.now() - 168 * hourMs
const pageRequests = [
  '/api/runs?limit=50',
  `/api/runs/stats?interval=hour&from=${new Date(weekAgo).toISOString()}`,
  '/api/me',
  '/api/audit?limit=50',
]

const kinds: readonly Kind[] = [
  {
    name: '100 ingests/s',
    perSecond: 100,
    work: (service) => send(service, { path: '/api/runs', method: 'POST', body: JSON.stringify(report()) }),
  },
  {
    name: 'fetches of 200 clients, 200/s',
    perSecond: clients,
    work: (service) => send(service, { path: `${fetchPath}?env=prod` }),
  },
  {
    name: 'pages of 20 console users, 40 requests/s',
    perSecond: consolePerSecond,
    work: (service, n) => send(service, { path: pageRequests[n % pageRequests.length] ?? '/api/me' }),
  },
]

/** Compares the latency of each kind of request under a mixed load with its latency alone. Measures the longest stall. */
export const mixed: Group = {
  name: 'mixed',
  async measure(bench) {
    const service = await bench.processes.service()
    await fill(service, 0)
    const sockets = await bench.processes.helper('websocket-clients')
    const url = `${service.url.replace('http', 'ws')}/ws?client=node-sdk&namespace=prod&app=bench`
    await sockets.request({ command: 'open', url, token, count: clients })
    await measureMixed(bench, service)
    await sockets.request({ command: 'close' })
  },
}

type Phase = 'alone' | 'together'

async function measureMixed(bench: Bench, service: Process): Promise<void> {
  const seconds = bench.isQuick ? 1 : 5
  const burst = ({ perSecond, work }: Kind) => pace({ perSecond, seconds }, (n) => work(service, n))
  const together = () => Promise.all(kinds.map(burst))
  const alone = async () => {
    const times: number[][] = []
    for (const kind of kinds) times.push(await burst(kind))
    return times
  }
  const found: Record<Phase, number[][][]> = { alone: [], together: [] }
  const stalls: number[] = []
  await together()
  for (const round of roundsOf(bench))
    for (const phase of alternating(round, ['alone', 'together'] as const)) {
      if (phase === 'alone') found.alone.push(await alone())
      else stalls.push((await service.watch(async () => found.together.push(await together()))).stall)
    }
  for (const [index, { name }] of kinds.entries())
    for (const share of [0.5, 0.99]) {
      const timesOf = (phase: Phase) => found[phase].map((times) => quantile(times[index] ?? [], share))
      bench.add({
        name: `${name}, p${share * 100}`,
        against: 'the same requests on their own',
        unit: '×',
        better: 'lower',
        values: ratios(timesOf('alone'), timesOf('together')),
        detail: `${digits(median(timesOf('together')))} ms`,
      })
    }
  bench.add({
    name: 'longest stall',
    against: ownClock,
    unit: 'ms',
    better: 'lower',
    values: stalls,
    goal: 15,
  })
  await bench.profiled(service, 'all together', together)
}
