/**
 * Compares the SDK fetch with a bare Express handler that returns the same bytes (`node dist/bench/fetch.js
 * [seconds]`). Each runs in its own process, alternately, with the same load. Prints requests per second and
 * the ratio of the medians.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import express from 'express'

const seconds = Number(process.argv[2] ?? 4)
const rounds = 5
const token = 'a-bench-token-of-more-than-32-characters'
const path = '/api/sdk/prompts/billing%2Frefund?env=prod'
const self = fileURLToPath(import.meta.url)

type Running = { readonly child: ChildProcess; readonly url: string }

async function start(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  for await (const line of lines) {
    const url = /^listening on (http:\S+)$/.exec(line)?.[1]
    if (url !== undefined) return { child, url }
  }
  throw new Error(`${script} ended before it listened`)
}

async function stop({ child }: Running): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}

/** The baseline: a route with a parameter that sends a prepared body. */
function serveBare(body: string): void {
  const app = express()
  app.get('/api/sdk/prompts/:key', (_req, res) => {
    res.type('application/json').send(body)
  })
  const server = app.listen(0, '127.0.0.1', () => {
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    process.stdout.write(`listening on http://127.0.0.1:${port}\n`)
  })
  process.on('SIGTERM', () => process.exit(0))
}

async function load(url: string, forSeconds: number, headers: Record<string, string> = {}): Promise<number> {
  const result = await autocannon({
    url: url + path,
    connections: 16,
    duration: forSeconds,
    headers: { authorization: `Bearer ${token}`, ...headers },
  })
  if (result.errors > 0 || result['5xx'] + result['4xx'] > 0)
    throw new Error(`${result.errors} errors, ${result['4xx']} × 4xx, ${result['5xx']} × 5xx`)
  return result.requests.average
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-fetch-'))
  const cli = join(import.meta.dirname, '../bundle/service/cli.js')
  const env = { PORT: '0', DATA_DIR: folder, SERVICE_TOKEN: token, LOG_LEVEL: 'warn' }
  const service = await start(cli, [], env)
  const content = `You answer mail about refunds.\n${'Be brief, be kind, name {{customer.name}} and {{amount}}. '.repeat(25)}`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ key: 'billing/refund', env: 'prod', model: 'gpt-4o', content })
  await fetch(`${service.url}/api/prompts`, { method: 'POST', headers, body })
  const reply = await fetch(service.url + path, { headers })
  const text = await reply.text()
  const bare = await start(self, ['bare', Buffer.from(text).toString('base64')], {})
  try {
    const tag = { 'if-none-match': reply.headers.get('etag') ?? '' }
    for (const { url } of [service, bare]) await load(url, 3)
    const [fetched, unchanged, plain]: [number[], number[], number[]] = [[], [], []]
    for (let round = 0; round < rounds; round += 1) {
      plain.push(await load(bare.url, seconds))
      fetched.push(await load(service.url, seconds))
      unchanged.push(await load(service.url, seconds, tag))
    }
    const rate = (values: readonly number[]) => `${Math.round(median(values)).toLocaleString('en')}/s`
    const ratio = (values: readonly number[]) => `${((median(values) / median(plain)) * 100).toFixed(0)} %`
    const [cpu] = cpus()
    console.log(`${Buffer.byteLength(text)} bytes, 16 connections, ${rounds} × ${seconds} s, ${cpu?.model}`)
    console.log(`bare Express ${rate(plain)} · SDK fetch ${rate(fetched)} = ${ratio(fetched)} of it`)
    console.log(`unchanged (304) ${rate(unchanged)} = ${ratio(unchanged)}`)
  } finally {
    await stop(service)
    await stop(bare)
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[2] === 'bare') serveBare(Buffer.from(process.argv[3] ?? '', 'base64').toString())
else await main()
