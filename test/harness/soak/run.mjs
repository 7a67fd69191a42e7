// @ts-check
// `npm run test:soak -- --minutes 30 [--seed N] [--sockets 200]`: clients of all kinds, 50 requests per
// second, publishes and restarts. In the first third the service is stopped and killed alternately; after
// that memory and descriptors are measured. Then the service is made to leak, which the same test must find.
// Ends with one JSON line.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readArguments } from '../lib/arguments.mjs'
import { createRandom } from '../lib/random.mjs'
import { countFrames } from './frames.mjs'
import { createLoad } from './load.mjs'
import { createService } from './process.mjs'
import { checkRecords } from './records.mjs'
import { createFixture } from './setup.mjs'
import { isFlat, testForLeak } from './trend.mjs'

/**
 * Requests after the last restart before memory is measured, so that code is compiled and caches are full.
 */
const warmUpRequests = 3_000
/** Time for these requests, and for all clients to reconnect. */
const warmUpMs = 10_000
const sampleCount = 40
/** The control run leaks 8 KiB per request for this time, 8 MB in total. */
const control = { ms: 20_000, samples: 12 }
/** SQLite's page cache has 32 MB; the rest is for prepared statements. */
const maxEngineBytes = 64 * 2 ** 20

/** @typedef {Awaited<ReturnType<typeof createService>>} Service */
/** @typedef {Awaited<ReturnType<Service['measure']>>} Sample */

/** @param {number} startedAt @param {number} ms */
const until = (startedAt, ms) => delay(Math.max(0, startedAt + ms - performance.now()))

/**
 * Stops and kills the service alternately, at equal intervals.
 * @param {Service} service @param {() => Promise<number>} allOpen @param {number} startedAt
 * @param {number} endMs
 */
async function restartAlternately(service, allOpen, startedAt, endMs) {
  const every = Math.max(10_000, endMs / 10)
  /** @type {string[]} */
  const wrong = []
  for (let at = every; at <= endMs - warmUpMs; at += every) {
    await until(startedAt, at)
    const signal = service.restarts % 2 === 0 ? 'SIGTERM' : 'SIGKILL'
    const code = await service.restart(signal)
    if (signal === 'SIGTERM' && code !== 0) wrong.push(`the service ended with ${code}: ${service.logged()}`)
    await allOpen()
  }
  return wrong
}

/** @param {Service} service @param {{ startedAt: number, ms: number, count: number }} options */
async function takeSamples(service, { startedAt, ms, count }) {
  /** @type {Sample[]} */
  const samples = []
  for (let number = 0; number < count; number += 1) {
    await until(startedAt, (ms * number) / count)
    samples.push(await service.measure())
  }
  await until(startedAt, ms)
  return samples
}

/** @param {readonly Sample[]} samples @param {readonly Sample[]} leaking */
function evaluate(samples, leaking) {
  /** @type {string[]} */
  const wrong = []
  const { isLeak, ...memory } = testForLeak(samples)
  const { isLeak: isControlFound, ...found } = testForLeak(leaking)
  if (isLeak) wrong.push(`memory rises: ${JSON.stringify(memory)}`)
  if (!isControlFound) wrong.push(`the leak of the control was not found: ${JSON.stringify(found)}`)
  const max = (/** @type {keyof Sample} */ name) => Math.max(...samples.map((sample) => sample[name]))
  if (max('wasm') > maxEngineBytes) wrong.push(`the heap of the database engine takes ${max('wasm')} bytes`)
  for (const name of /** @type {const} */ (['sockets', 'files'])) {
    const counts = samples.map((sample) => sample[name])
    if (!isFlat(counts)) wrong.push(`open ${name} rise: ${counts.join(' ')}`)
  }
  const megabytes = (/** @type {number | undefined} */ bytes = 0) => Math.round(bytes / 2 ** 20)
  const [first] = samples
  const last = samples.at(-1)
  return {
    wrong,
    memory: {
      method: 'Mann-Kendall, one-sided α = 0.01, and by Sen’s slope more than 1 % of the mean in 10 minutes',
      ...memory,
      control: found,
    },
    code_mb: [first?.code, last?.code].map(megabytes),
    engine_mb: megabytes(max('wasm')),
    resident_mb: [first?.resident, last?.resident].map(megabytes),
    descriptors: { files: [first?.files, max('files')], sockets: [first?.sockets, max('sockets')] },
  }
}

const { seed, minutes, sockets } = readArguments(process.argv.slice(2), { minutes: 30, sockets: 200 })
const totalMs = minutes * 60_000
const dataDir = mkdtempSync(join(tmpdir(), 'promptdeck-soak-'))
const service = await createService(dataDir)
const { url } = service
/** @type {string[]} */
const wrong = []
try {
  await service.start()
  const fixture = await createFixture(url, sockets)
  const { clients, allOpen } = fixture
  const connected = await allOpen()
  if (connected !== sockets) wrong.push(`${connected} of ${sockets} sockets are open`)
  const load = createLoad(url, createRandom(seed), fixture.prompts)
  const { acknowledged } = load
  const startedAt = performance.now()
  load.start()
  wrong.push(...(await restartAlternately(service, allOpen, startedAt, totalMs / 3)))
  load.endRestarts()
  await load.burst(warmUpRequests)
  await until(startedAt, totalMs / 3)
  // On a slow machine the warm-up takes longer, and all later steps start later.
  const measuredAt = performance.now()
  const measuredMs = (totalMs * 2) / 3
  const samples = await takeSamples(service, { startedAt: measuredAt, ms: measuredMs, count: sampleCount })
  const perSecond = load.started() / ((performance.now() - startedAt) / 1000)
  service.leak()
  const leaking = await takeSamples(service, {
    startedAt: performance.now(),
    ms: control.ms,
    count: control.samples,
  })
  await load.stop()
  await fixture.allReceived(acknowledged.versions)
  const stillOpen = await allOpen()
  if (stillOpen !== sockets) wrong.push(`${stillOpen} of ${sockets} sockets are open at the end`)
  const frames = countFrames(clients, acknowledged.versions)
  for (const name of /** @type {const} */ (['lost', 'doubled', 'reversed', 'resyncs']))
    if (frames[name] > 0) wrong.push(`frames ${name}: ${frames[name]}`)
  if (frames.audit_frames === 0) wrong.push('no console received a frame')
  const { wrong: recordFaults, ...counts } = await checkRecords(url, acknowledged)
  const { wrong: rises, ...evaluated } = evaluate(samples, leaking)
  wrong.push(...recordFaults, ...rises)
  if (acknowledged.faults.length > 0)
    wrong.push(`${acknowledged.faults.length} requests failed: ${acknowledged.faults.slice(0, 3).join('; ')}`)
  await fixture.close()
  const code = await service.stop('SIGTERM')
  if (code !== 0) wrong.push(`the service ended with ${code}: ${service.logged()}`)
  for (const reason of wrong) process.stdout.write(`VIOLATION  ${reason}\n`)
  const failed = wrong.length === 0 ? 0 : 1
  const line = {
    harness: 'soak',
    seed,
    minutes,
    passed: 1 - failed,
    failed,
    sockets,
    restarts: service.restarts,
    requests: acknowledged.requests,
    per_second: Number(perSecond.toFixed(1)),
    ...counts,
    cut_off: acknowledged.cutOff,
    ...frames,
    ...evaluated,
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
  process.exitCode = failed
} finally {
  await service.stop('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
}
