/**
 * Compares this build with another one, route by route (`node dist/bench/http.js <path of the other
 * dist/bundle/service/cli.js> [requests] [rounds]`). Both services run at the same time and get the same
 * requests alternately, one after the other on one connection. Prints medians over the rounds of latency
 * (p50) and processor time of the service, and the median of the ratios of this build to the other in each
 * round.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { median } from './frame/figure.ts'
import { token } from './frame/processes.ts'

const [other, requests = 200, rounds = 5] = [process.argv[2], ...process.argv.slice(3).map(Number)]
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

type Service = { readonly child: ChildProcess; readonly url: string; readonly folder: string }
type Call = { readonly method: string; readonly path: string; readonly body?: string }
type Sample = { readonly p50: number; readonly cpu: number }

const run = JSON.stringify({ model: 'gpt-4o', provider: 'openai', latency_ms: 12, status: 'ok' })
const calls: readonly Call[] = [
  { method: 'GET', path: '/api/me' },
  { method: 'GET', path: '/api/sdk/prompts/billing%2Frefund?env=prod' },
  { method: 'POST', path: '/api/runs', body: run },
  { method: 'GET', path: '/api/runs' },
  { method: 'GET', path: '/api/audit' },
  { method: 'GET', path: '/api/users' },
  { method: 'GET', path: '/health' },
  { method: 'GET', path: '/' },
]

async function start(cli: string): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-http-'))
  const env = { PORT: '0', DATA_DIR: folder, SERVICE_TOKEN: token, LOG_LEVEL: 'warn' }
  const child = spawn(process.execPath, [cli], {
    env: { ...process.env, ...env, REQUESTS_PER_MINUTE: '1000000' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /^listening on (http:\S+)$/.exec(line)?.[1]
    if (url !== undefined) return { child, url, folder }
  }
  throw new Error(`${cli} ended before it listened`)
}

async function stop({ child, folder }: Service): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  rmSync(folder, { recursive: true, force: true })
}

/** Sends one request and returns the text of the reply. Throws if it is an error. */
async function send(service: Service, agent: Agent, { method, path, body }: Call): Promise<string> {
  const req = request(service.url + path, { method, headers, agent })
  req.end(body)
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of res.setEncoding('utf8')) text += String(chunk)
  if ((res.statusCode ?? 0) >= 400) throw new Error(`${method} ${path}: ${res.statusCode} ${text}`)
  return text
}

/** Returns the processor time of the service so far in microseconds. */
async function cpuOf(service: Service, agent: Agent): Promise<number> {
  const text = await send(service, agent, { method: 'GET', path: '/metrics' })
  return Number(/^promptdeck_process_cpu_seconds_total (\S+)/m.exec(text)?.[1]) * 1e6
}

async function measure(service: Service, agent: Agent, call: Call): Promise<Sample> {
  const latencies: number[] = []
  const first = await cpuOf(service, agent)
  const before = await cpuOf(service, agent)
  for (let n = 0; n < requests; n += 1) {
    const startedAt = performance.now()
    await send(service, agent, call)
    latencies.push((performance.now() - startedAt) * 1000)
  }
  // Subtracts the processor time of one reading, which the first two readings measure.
  const cpu = (await cpuOf(service, agent)) - before - (before - first)
  return { p50: median(latencies), cpu: cpu / requests }
}

async function fill(service: Service, agent: Agent): Promise<void> {
  const content = `You answer mail about refunds.\n${'Be brief, be kind, name {{customer.name}}. '.repeat(25)}`
  const prompt = JSON.stringify({ key: 'billing/refund', env: 'prod', model: 'gpt-4o', content })
  await send(service, agent, { method: 'POST', path: '/api/prompts', body: prompt })
  for (let n = 0; n < 50; n += 1) {
    const body = JSON.stringify({ name: `Workspace ${n}` })
    await send(service, agent, { method: 'POST', path: '/api/workspaces', body })
    await send(service, agent, { method: 'POST', path: '/api/runs', body: run })
  }
}

const us = (value: number): string => `${Math.round(value)} µs`.padStart(8)

function print({ method, path }: Call, ours: readonly Sample[], theirs: readonly Sample[]): void {
  const columns = (['p50', 'cpu'] as const).map((name) => {
    const [base, after] = [theirs, ours].map((samples) => median(samples.map((sample) => sample[name])))
    // Two samples of one round were taken under the same load.
    const ratios = ours.map((sample, round) => sample[name] / (theirs[round]?.[name] ?? Number.NaN))
    return `${name} ${us(base ?? 0)} →${us(after ?? 0)}, ratio ${median(ratios).toFixed(2)}`
  })
  console.log(`${`${method} ${path.split('?')[0]}`.padEnd(42)} ${columns.join('   ')}`)
}

type Build = 'theirs' | 'ours'
type Samples = Record<Build, Sample[]>

type Running = { readonly build: Build; readonly service: Service; readonly agent: Agent }

/** Measures one call in both builds and adds the samples. The first round warms up. */
async function compare(running: readonly Running[], call: Call, samples: Samples): Promise<void> {
  for (let round = 0; round <= rounds; round += 1)
    for (const { build, service, agent } of round % 2 === 0 ? running : running.toReversed()) {
      const sample = await measure(service, agent, call)
      if (round > 0) samples[build].push(sample)
    }
}

/** Starts both builds in this order and adds the samples of each call. */
async function phase(
  clis: readonly (readonly [Build, string])[],
  samples: Map<Call, Samples>,
): Promise<void> {
  const running: Running[] = []
  try {
    for (const [build, cli] of clis) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      running.push({ build, service: await start(cli), agent })
    }
    for (const { service, agent } of running) await fill(service, agent)
    for (const [call, callSamples] of samples) await compare(running, call, callSamples)
  } finally {
    for (const { agent } of running) agent.destroy()
    await Promise.all(running.map(({ service }) => stop(service)))
  }
}

async function main(cli: string): Promise<void> {
  const thisBuild = join(import.meta.dirname, '../bundle/service/cli.js')
  const samples = new Map<Call, Samples>(calls.map((call) => [call, { theirs: [], ours: [] }]))
  const builds = [
    ['theirs', cli],
    ['ours', thisBuild],
  ] as const
  // The service that starts first has an advantage in writing to the disk, so each build starts first once.
  await phase(builds, samples)
  await phase(builds.toReversed(), samples)
  console.log(`${requests} requests, 2 × ${rounds} rounds, node ${process.version}, ${cpus()[0]?.model}`)
  console.log('the other build → this build')
  for (const [call, { ours, theirs }] of samples) print(call, ours, theirs)
}

if (other === undefined) throw new Error('Name the cli.js of the other build.')
await main(other)
