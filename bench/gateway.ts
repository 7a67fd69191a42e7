/**
 * Compares calls through the gateway with direct calls of the same provider (`node dist/bench/gateway.js [calls]
 * [rounds]`). Provider and service run in processes of their own. Direct and passed-on calls alternate, 20 streams at
 * a time. Prints the time to the first byte of both, and the memory of the service after many streams and a reply of
 * 50 MB.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request, type ServerResponse } from 'node:http'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const calls = Number(process.argv[2] ?? 1000)
const rounds = Number(process.argv[3] ?? 3)
const streams = 20
const token = 'a-bench-token-of-more-than-32-characters'
const self = fileURLToPath(import.meta.url)
const agent = new Agent({ keepAlive: true, maxSockets: streams })

type Running = { readonly child: ChildProcess; readonly url: string }

async function start(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<Running> {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
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

const event = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`
const piece = (content: string) =>
  event({ id: 'x', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta: { content } }] })
const usage = event({
  id: 'x',
  choices: [],
  usage: { prompt_tokens: 5, completion_tokens: 20, total_tokens: 25 },
})

/** Time between the events of a stream, so that 20 open streams are what is measured, and not the most per second. */
const paceMs = 20
/** From 10 to 30, so that streams do not begin at the same time. */
const eventsOf = () => 10 + Math.floor(Math.random() * 21)
const largeBytes = 50_000_000

async function stream(res: ServerResponse): Promise<void> {
  for (let left = eventsOf(); left > 0; left -= 1) {
    res.write(piece('word '))
    await pause(paceMs)
  }
}

async function large(res: ServerResponse): Promise<void> {
  const text = piece('word '.repeat(1000))
  for (let sent = 0; sent < largeBytes; sent += text.length) if (!res.write(text)) await once(res, 'drain')
}

/** A provider that streams for 0.2 to 0.6 s, or 50 MB at once for the model `large`. */
function serveProvider(): void {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    await (Buffer.concat(chunks).includes('"large"') ? large(res) : stream(res))
    res.end(usage)
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    process.stdout.write(`listening on http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}\n`)
  })
  process.on('SIGTERM', () => process.exit(0))
}

const chat = (model: string) =>
  JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] })
const report = JSON.stringify({ provider: 'openai', model: 'gpt-4o-mini', latency_ms: 1, status: 'ok' })

/** Sends a request and returns the milliseconds until the first byte of its reply. */
function callOnce(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const begun = performance.now()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const req = request(url, { method: 'POST', headers, agent }, (res) => {
      let first = 0
      res.on('data', () => {
        first ||= performance.now() - begun
      })
      res.on('error', reject)
      res.on('end', () =>
        (res.statusCode ?? 0) < 300 ? resolve(first) : reject(new Error(`status ${res.statusCode}`)),
      )
    })
    req.on('error', reject)
    req.end(body)
  })
}

/** Makes calls, 20 at a time. */
async function load(url: string, count: number): Promise<number[]> {
  const body = chat('gpt-4o-mini')
  const times: number[] = []
  let left = count
  const worker = async () => {
    while (left > 0) {
      left -= 1
      times.push(await callOnce(url, body))
    }
  }
  await Promise.all(Array.from({ length: streams }, worker))
  return times
}

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))] ?? 0
const show = (values: readonly number[]): string =>
  [0.5, 0.95, 0.99].map((q) => `p${q * 100} ${quantile(values, q).toFixed(2)} ms`).join(', ')

async function residentMb(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^promptdeck_process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1e6
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-gateway-'))
  const provider = await start(self, ['provider'], {})
  const cli = join(import.meta.dirname, '../bundle/service/cli.js')
  const env = { PORT: '0', DATA_DIR: folder, SERVICE_TOKEN: token, LOG_LEVEL: 'warn' }
  const service = await start(cli, [], env)
  try {
    await fetch(`${service.url}/api/providers/openai`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        base_url: `${provider.url}/v1`,
        local: true,
        api_key: 'sk-bench',
        concurrency: 64,
      }),
    })
    const direct = `${provider.url}/v1/chat/completions`
    const passed = `${service.url}/gateway/openai/v1/chat/completions`
    for (const url of [direct, passed]) await load(url, calls)
    const warm = await residentMb(service.url)
    const [directMs, passedMs, writeMs]: [number[], number[], number[]] = [[], [], []]
    for (let round = 0; round < rounds; round += 1) {
      directMs.push(...(await load(direct, calls)))
      passedMs.push(...(await load(passed, calls)))
      for (let n = 0; n < 200; n += 1) writeMs.push(await callOnce(`${service.url}/api/runs`, report))
    }
    const [cpu] = cpus()
    console.log(
      `${rounds} × ${calls} streams, ${streams} at a time, ${cpu?.model}, load ${loadavg()[0]?.toFixed(1)}`,
    )
    console.log(`direct call:  ${show(directMs)}`)
    console.log(`gateway:      ${show(passedMs)}`)
    // A call is stored before it is sent: one write to disk, as here.
    console.log(`durable write: ${show(writeMs)}`)
    const added = (q: number) =>
      `p${q * 100} +${(quantile(passedMs, q) - quantile(directMs, q)).toFixed(2)} ms`
    console.log(`added:        ${[0.5, 0.95, 0.99].map(added).join(', ')}`)
    const after = await residentMb(service.url)
    await callOnce(passed, chat('large'))
    const large = await residentMb(service.url)
    console.log(
      `memory: ${warm.toFixed(0)} MB warm, ${after.toFixed(0)} MB after the streams, ${large.toFixed(0)} MB after 50 MB`,
    )
  } finally {
    agent.destroy()
    await stop(service)
    await stop(provider)
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[2] === 'provider') serveProvider()
else await main()
