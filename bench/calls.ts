/**
 * Measures 1,000 concurrent streamed runs of the mock provider (`node dist/bench/calls.js [runs] [rounds]`):
 * total time, blocking of the service's event loop, and memory afterwards, compared with an idle warm
 * service. Another process generates the load.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../server/config.ts'
import { startServer } from '../server/index.ts'

const runs = Number(process.argv[2] ?? 1000)
const rounds = Number(process.argv[3] ?? 5)
const token = 'a-bench-token-of-more-than-32-characters'

type Report = { stallMs: number; p99Ms: number; cpuMs: number; heapMb: number; rssMb: number }

async function serve(folder: string): Promise<void> {
  const env = { PORT: '0', DATA_DIR: folder, SERVICE_TOKEN: token, LOG_LEVEL: 'warn' }
  const server = await startServer(readConfig(env))
  const delay = monitorEventLoopDelay({ resolution: 5 })
  let cpu = process.cpuUsage()
  process.on('message', (command) => {
    if (command === 'begin') {
      globalThis.gc?.()
      cpu = process.cpuUsage()
      delay.reset()
      delay.enable()
      process.send?.('begun')
      return
    }
    delay.disable()
    const { user, system } = process.cpuUsage(cpu)
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    const report: Report = {
      stallMs: delay.max / 1e6,
      p99Ms: delay.percentile(99) / 1e6,
      cpuMs: (user + system) / 1000,
      heapMb: heapUsed / 1e6,
      rssMb: rss / 1e6,
    }
    process.send?.(report)
  })
  process.on('disconnect', () => void server.close())
  process.send?.(server.url)
}

/** Makes one streamed run and reads it to its end. Resolves with true if it is complete. */
function stream(url: string, agent: Agent, n: number): Promise<boolean> {
  const body = JSON.stringify({
    content: `Number {{n}}: ${'word '.repeat(30)}`,
    variables: { n },
    provider: 'mock',
    params: { mock: { first_token_ms: 500, tokens_per_second: 50 } },
    stream: true,
  })
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${url}/api/playground/run`,
      {
        method: 'POST',
        agent,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('end', () => resolve(text.includes('event: done')))
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-calls-'))
  const child = fork(fileURLToPath(import.meta.url), ['serve', folder], { execArgv: ['--expose-gc'] })
  const measure = async (command: 'begin' | 'end'): Promise<Report> => {
    const reply = once(child, 'message')
    child.send(command)
    return (await reply)[0]
  }
  const [url]: string[] = await once(child, 'message')
  const agent = new Agent({ keepAlive: true, maxSockets: runs })
  const all = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => stream(url ?? '', agent, n)))
  try {
    await all(100)
    await measure('begin')
    const idle = await measure('end')
    process.stdout.write(
      `${cpus()[0]?.model} × ${cpus().length}, Node ${process.version}\nwarmed up: heap ${idle.heapMb.toFixed(0)} MB, rss ${idle.rssMb.toFixed(0)} MB\n`,
    )
    for (let round = 1; round <= rounds; round += 1) {
      await measure('begin')
      const startedAt = performance.now()
      const complete = (await all(runs)).filter(Boolean).length
      const ms = performance.now() - startedAt
      const { stallMs, p99Ms, cpuMs, heapMb, rssMb } = await measure('end')
      process.stdout.write(
        `${complete}/${runs} complete in ${ms.toFixed(0)} ms, ${(cpuMs / runs).toFixed(2)} ms of processor each; longest stall ${stallMs.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms; heap ${heapMb.toFixed(0)} MB (× ${(heapMb / idle.heapMb).toFixed(2)}), rss ${rssMb.toFixed(0)} MB\n`,
      )
    }
  } finally {
    agent.destroy()
    child.disconnect()
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
}

const [, , mode, folder] = process.argv
await (mode === 'serve' && folder !== undefined ? serve(folder) : main())
