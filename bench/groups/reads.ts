import { hourMs } from '../../server/lib/durations.ts'
import { digits, median, percentOf } from '../frame/figure.ts'
import { alternating, type Bench, type Group, roundsOf } from '../frame/group.ts'
import { type Load, load, type Request, send } from '../frame/load.ts'
import type { Process } from '../frame/processes.ts'
import { fetchPath, fill } from './fill.ts'

const connections = 20
/** Returns the Express route of a path. The route of an SDK fetch has a parameter, as in the service. */
const routeOf = (path: string): string =>
  path.startsWith('/api/sdk/prompts/') ? '/api/sdk/prompts/:key' : path

type Read = Request & { readonly name: string; readonly goal: number }

const weekAgo = Date.now() - 168 * hourMs
/** The period begins n milliseconds earlier, before the first run, so that each query is new and its reply the same. */
export const runsSince = (n: number) =>
  `/api/runs?limit=50&from=${new Date(weekAgo - hourMs - n).toISOString()}`
export const statsSince = (n: number) =>
  `/api/runs/stats?interval=hour&from=${new Date(weekAgo - n).toISOString()}`
const auditSince = (n: number) => `/api/audit?limit=50&from=${new Date(weekAgo - n).toISOString()}`
/** The roles follow each other as the digits of n in base 3; admins, viewers and editors are all users. */
const usersOf = (n: number) => {
  const digits = n.toString(3).padStart(8, '0').slice(-8)
  const roles = [...digits].map((digit) => `&role=${['viewer', 'editor', 'admin'][Number(digit)]}`)
  return `/api/users?limit=50&role=admin&role=viewer${roles.join('')}`
}
const promptsOf = (n: number) => `/api/prompts?limit=50&workspace=default&workspace=none-${n}`
const sdkFetch: Read = { name: 'SDK fetch', path: `${fetchPath}?env=prod`, goal: 110 }
const allReads: readonly Read[] = [
  { name: 'GET /api/me', path: '/api/me', goal: 110 },
  sdkFetch,
  { name: '50 runs, each time another period', path: runsSince(0), distinct: runsSince, goal: 50 },
  { name: '50 runs, again unchanged', path: '/api/runs?limit=50', goal: 70 },
  { name: '50 audit entries, each time another period', path: auditSince(0), distinct: auditSince, goal: 50 },
  { name: '50 audit entries, again unchanged', path: '/api/audit?limit=50', goal: 70 },
  { name: '50 users, each time another filter', path: usersOf(0), distinct: usersOf, goal: 50 },
  { name: '50 users, again unchanged', path: '/api/users?limit=50', goal: 70 },
  { name: '50 prompts, each time another filter', path: promptsOf(0), distinct: promptsOf, goal: 50 },
  { name: '50 prompts, again unchanged', path: '/api/prompts?limit=50', goal: 70 },
  {
    name: 'statistics of 7 days, each time another period',
    path: statsSince(0),
    distinct: statsSince,
    goal: 40,
  },
  { name: 'statistics of 7 days, again unchanged', path: statsSince(0), goal: 70 },
]

type Subjects = { readonly service: Process; readonly express: Process; readonly node: Process }
const subjects = ['service', 'express', 'node'] as const
type Loads = Readonly<Record<keyof Subjects, Load[]>>

/** Frequent reads against a bare Express handler and a bare `node:http` server that send the same bytes. */
export const reads: Group = {
  name: 'reads',
  async measure(bench) {
    const service = await bench.processes.service()
    await fill(service, bench.isQuick ? 0 : 60)
    const express = await bench.processes.counterpart('express')
    const node = await bench.processes.counterpart('node')
    const processes = { service, express, node }
    const measured = bench.isQuick ? allReads.filter((_, n) => n % 3 === 1) : allReads
    for (const read of measured) {
      const { text } = await send(service, read)
      await prepare(processes, read.path, text)
      await measureRead(bench, processes, read, read)
    }
    const { headers } = await send(service, sdkFetch)
    const request = { ...sdkFetch, headers: { 'if-none-match': headers.get('etag') ?? '' } }
    await measureRead(bench, processes, { ...sdkFetch, name: 'SDK fetch, unchanged (304)' }, request)
  },
}

/** Makes the bare servers send this text. */
async function prepare({ express, node }: Subjects, path: string, body: string): Promise<void> {
  const [plain = ''] = path.split('?', 1)
  await express.request({ replies: { reads: [{ path: routeOf(plain), body }], writes: [] } })
  await node.request({ replies: { reads: [{ path: plain, body }], writes: [] } })
}

/** Measures one read. `request` is sent to the service, the plain read to the bare servers. */
async function measureRead(bench: Bench, processes: Subjects, read: Read, request: Request): Promise<void> {
  const options = { connections, seconds: bench.isQuick ? 1 : 2 }
  const burst = (subject: keyof Subjects) =>
    load(processes[subject], subject === 'service' ? request : { path: read.path }, options)
  const loads: Loads = { service: [], express: [], node: [] }
  for (const subject of subjects) await burst(subject)
  for (const round of roundsOf(bench))
    for (const subject of alternating(round, subjects)) loads[subject].push(await burst(subject))
  addFigures(bench, read, loads)
  await bench.profiled(processes.service, read.name, () => burst('service'))
}

function addFigures(bench: Bench, { name, goal }: Read, { service, express, node }: Loads): void {
  const rates = (loads: readonly Load[]) => loads.map(({ perSecond }) => perSecond)
  const times = (loads: readonly Load[]) => loads.map(({ cpu }) => cpu)
  const common = { name, unit: '%', better: 'higher' } as const
  bench.add({
    ...common,
    against: 'bare Express, requests per second',
    values: percentOf(rates(express), rates(service)),
    goal,
    detail: `${digits(median(rates(service)))}/s, p99 ${median(service.map(({ p99 }) => p99))} ms`,
  })
  bench.add({
    ...common,
    against: 'bare `node:http`, requests per second',
    values: percentOf(rates(node), rates(service)),
  })
  bench.add({
    ...common,
    // The inverse, so that more is better here, too.
    against: 'bare Express, requests per second of processor time',
    values: percentOf(times(service), times(express)),
    detail: `${digits(median(times(service)))} µs of processor time`,
  })
}
