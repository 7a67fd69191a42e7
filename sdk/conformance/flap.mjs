import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Flapping } from './lib/flapping.mjs'
import { seeded } from './lib/seeded.mjs'
import { sleep } from './lib/waiting.mjs'

/** 24 hours in milliseconds, at a thousandth of real time. */
const dayMs = 86_400
const clientCount = 8
/** Number of faults per client between two checks that it is up to date. */
const roundFaults = 125
/** Allowed growth of an adapter's memory in MB, for caches of the language runtime. */
const maxGrowthMb = 96

/** Time for closed clients to release their timers and sockets. */
const releaseMs = 30_000

/** Returns resident memory in MB, or null where the system does not report it. */
function memoryOf(pid) {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024)
  } catch {
    return null
  }
}

const { values } = parseArgs({
  options: {
    lang: { type: 'string', default: 'js' },
    faults: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
  },
})
const faults = Number(values.faults)
const startedAt = performance.now()
const folder = mkdtempSync(join(tmpdir(), 'promptdeck-flap-'))
const { start } = await import(`./adapters/${values.lang}.mjs`)
const adapter = await start()
const clients = Array.from(
  { length: clientCount },
  (_, index) => new Flapping(adapter, `flap-${index}`, seeded(Number(values.seed) * 1000 + index)),
)
const findings = []
let memory = null
let leftovers = null
try {
  const gapMs = (dayMs * clientCount) / 10_000
  const perClient = Math.ceil(faults / clientCount)
  for (const client of clients) await client.start(join(folder, 'cache'))
  await Promise.all(clients.map((client) => flap(client, perClient, gapMs)))
  for (const client of clients) await client.end()
  leftovers = await waitForRelease()
  memory = { ...memory, end_mb: memoryOf(adapter.pid) }
} catch (error) {
  findings.push(error.message)
} finally {
  await adapter.stop()
  for (const { server } of clients) await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const { name, findings: clientFindings } of clients)
  findings.push(...clientFindings.map((text) => `${name}: ${text}`))
if (leftovers !== null && leftovers.timers_or_threads + leftovers.sockets > 0)
  findings.push('Closed clients still hold timers or sockets')
if (memory?.start_mb && memory.end_mb - memory.start_mb > maxGrowthMb) findings.push('The memory grew')
for (const finding of findings.slice(0, 20)) process.stderr.write(`${finding}\n`)
const sum = (name) => clients.reduce((total, { tally }) => total + tally[name], 0)
const result = {
  language: values.lang,
  seed: Number(values.seed),
  clients: clientCount,
  faults: sum('faults'),
  publishes: sum('publishes'),
  connections: clients.reduce((total, { server }) => total + server.live.opened, 0),
  reads: sum('reads'),
  runs: sum('reported'),
  ...memory,
  ...leftovers,
  findings: findings.length,
  seconds: Math.round((performance.now() - startedAt) / 1000),
}
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exitCode = findings.length === 0 ? 0 : 1

async function flap(client, count, gapMs) {
  for (let done = 1; done <= count; done += 1) {
    await client.fault(gapMs)
    if (done % roundFaults === 0 || done === count) await client.requireConverged()
    // Measured after warm-up.
    if (memory === null && done >= count / 10) memory = { start_mb: memoryOf(adapter.pid) }
  }
}

/**
 * Returns the timers and sockets that closed clients still hold, after waiting up to `releaseMs` for their
 * release.
 */
async function waitForRelease() {
  const giveUpAt = Date.now() + releaseMs
  for (;;) {
    const { timers_or_threads, sockets } = await adapter.request('stats')
    if (timers_or_threads + sockets === 0 || Date.now() > giveUpAt) return { timers_or_threads, sockets }
    await sleep(100)
  }
}
