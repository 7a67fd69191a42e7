// @ts-check
// Makes every file call of a workload fail in every way. Started by all.mjs with --import preload.mjs. Use
// `--runs` to limit the number of runs, `--minutes` the time.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { readArguments } from '../lib/arguments.mjs'
import { injectedMemoryFaults, memoryFaults, setMemoryFault, statementCount } from './memory.mjs'
import { callCount, codes, injectedFaults, modes, setFault } from './preload.mjs'
import { Hung, noneAcknowledged } from './scenario.mjs'
import { prepare } from './scenarios.mjs'
import { shareThreads } from './threads.mjs'

const options = readArguments(process.argv.slice(2), { runs: 0, minutes: 0 })
const folder = process.env['FAULTS_FOLDER'] ?? ''
// The parent folder is deleted at the end.
if (folder === '') throw new Error('FAULTS_FOLDER is not set; use all.mjs, which sets it')
const scratch = dirname(folder)
/** @type {string[]} */
const unhandledErrors = []
process.on('unhandledRejection', (error) => unhandledErrors.push(`an unhandled rejection: ${error}`))
let isRunning = false
process.on('uncaughtException', (error) => {
  if (isRunning) return unhandledErrors.push(`an uncaught error: ${error?.stack ?? error}`)
  // An error of the harness itself, which no run reports.
  process.stderr.write(`${error?.stack ?? error}\n`)
  return process.exit(1)
})

await shareThreads(scratch, fileURLToPath(new URL('./preload.mjs', import.meta.url)))
const scenarios = await prepare(scratch)

let runCount = 0

/**
 * @param {string} dataDir @param {(folder: string) => Promise<string[]>} verify
 * @param {'once' | 'permanent' | undefined} mode
 */
async function verifyFreed(dataDir, verify, mode) {
  const wrong = await verify(dataDir)
  if (!wrong.some((reason) => reason.includes(`in use by process ${process.pid}`))) return wrong
  // A process that exits releases its lock. A copy without the lock shows whether the data is complete.
  const copy = `${dataDir}-copy`
  cpSync(dataDir, copy, {
    recursive: true,
    filter: (name) => !name.endsWith('.sock') && !name.endsWith('owner.json'),
  })
  const rest = await verify(copy)
  rmSync(copy, { recursive: true, force: true })
  // If every call fails, the release of the lock fails too: only the exit of the process frees the folder.
  return mode === 'permanent' ? rest : ['the lock is still held', ...rest]
}

/** @param {import('./scenarios.mjs').Scenario} scenario @param {import('./preload.mjs').Fault | null} fault @param {import('./memory.mjs').MemoryFault | null} [memory] */
async function runOnce(scenario, fault, memory = null) {
  runCount += 1
  // A new folder per run: a lock left by an earlier run does not affect this one.
  const dataDir = join(folder, String(runCount))
  mkdirSync(folder, { recursive: true })
  if (scenario.from === null) mkdirSync(dataDir)
  else cpSync(scenario.from, dataDir, { recursive: true })
  const acknowledged = noneAcknowledged()
  unhandledErrors.length = 0
  isRunning = true
  setFault(fault)
  setMemoryFault(memory)
  await scenario.run(dataDir, acknowledged)
  const injected = injectedFaults() + injectedMemoryFaults()
  const counts = { calls: callCount(), statements: statementCount(), injected }
  setFault(null)
  setMemoryFault(null)
  const variant = (fault?.nth ?? 0) + (fault === null ? 0 : codes.indexOf(fault.code)) + (memory?.nth ?? 0)
  const freed = await verifyFreed(
    dataDir,
    (at) => scenario.verify(at, acknowledged, variant),
    fault?.mode ?? memory?.mode,
  )
  const wrong = [...acknowledged.unclear, ...freed, ...unhandledErrors]
  isRunning = false
  rmSync(dataDir, { recursive: true, force: true })
  return { ...counts, wrong }
}

/** @typedef {{ scenario: import('./scenarios.mjs').Scenario, name: string, fault: import('./preload.mjs').Fault | null, memory: import('./memory.mjs').MemoryFault | null }} Run */
/** @type {Run[]} */
const planned = []
/** @type {Record<string, { calls: number, statements: number }>} */
const calls = {}
for (const scenario of scenarios) {
  const { calls: count, statements, wrong } = await runOnce(scenario, null)
  if (wrong.length > 0) throw new Error(`${scenario.name} fails without a fault: ${wrong.join('; ')}`)
  calls[scenario.name] = { calls: count, statements }
  for (const mode of modes) {
    for (let nth = 1; nth <= count; nth += 1) {
      for (const code of codes) {
        const name = `${scenario.name}, call ${nth} fails with ${code} (${mode})`
        planned.push({ scenario, name, fault: { nth, code, mode }, memory: null })
      }
    }
    // A sample of about 200 of several thousand statements: replay and reads repeat the same ones.
    for (let nth = 1; nth <= statements; nth += Math.max(1, Math.floor(statements / 200))) {
      for (const code of memoryFaults) {
        const name = `${scenario.name}, statement ${nth} fails with ${code} (${mode})`
        planned.push({ scenario, name, fault: null, memory: { nth, code, mode } })
      }
    }
  }
}

// By name, not by index: the number of calls differs slightly between processes, and the shards must cover
// each case once.
const orderOf = (/** @type {Run} */ { name }) => crc32(`${options.seed} ${name}`)
const ownRuns = planned
  .filter(({ name }) => crc32(name) % options.shards === options.shard - 1)
  .toSorted((a, b) => orderOf(a) - orderOf(b))
let violations = 0
let injected = 0
let done = 0
let last = Date.now()
const began = performance.now()
const isLate = () => options.minutes > 0 && performance.now() - began > options.minutes * 60_000
for (const { scenario, name, fault, memory } of ownRuns) {
  // The number of calls differs by a few between runs, so the last faults may not occur. A sample counts only
  // faults that occurred.
  if (isLate() || (options.runs > 0 && injected >= options.runs)) break
  let wrong
  try {
    const result = await runOnce(scenario, fault, memory)
    injected += result.injected > 0 ? 1 : 0
    wrong = result.wrong
  } catch (error) {
    if (!(error instanceof Hung)) throw error
    injected += 1
    wrong = [error.message]
  }
  done += 1
  if (wrong.length > 0) {
    violations += 1
    process.stderr.write(`VIOLATION ${name}: ${wrong.join('; ')}\n`)
  }
  if (Date.now() - last > 10_000) {
    last = Date.now()
    process.stderr.write(`${done} of ${options.runs || ownRuns.length}\n`)
  }
}
rmSync(scratch, { recursive: true, force: true })
const { seed } = options
const shard = `${options.shard}/${options.shards}`
const seconds = Math.round((performance.now() - began) / 1000)
const cpuSeconds = Math.round(process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6)
const counts = { planned: planned.length, runs: done, injected, violations, seconds, cpuSeconds }
process.stdout.write(`${JSON.stringify({ harness: 'faults', seed, shard, calls, ...counts })}\n`)
process.exit(violations > 0 ? 1 : 0)
