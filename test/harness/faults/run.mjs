// @ts-check
// `npm run test:faults -- --seed N --shard i/n [--runs N]`: lets every file call of a workload fail in every way.
// Started with --import preload.mjs; `--runs` takes a sample of so many, `--minutes` ends it after that time.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { readArguments } from '../lib/arguments.mjs'
import { memoryFaults, memoryStruck, setMemoryFault, statementCount } from './memory.mjs'
import { callCount, codes, modes, setFault, struckCount } from './preload.mjs'
import { Hung, newTold, prepare } from './scenario.mjs'
import { shareThreads } from './threads.mjs'
import { together, verify } from './verify.mjs'

const given = readArguments(process.argv.slice(2), { runs: 0, minutes: 0 })
const folder = process.env['FAULTS_FOLDER'] ?? ''
const scratch = dirname(folder)
/** @type {string[]} */
const loose = []
process.on('unhandledRejection', (error) => loose.push(`an unhandled rejection: ${error}`))
process.on('uncaughtException', (error) => loose.push(`an uncaught error: ${error?.stack ?? error}`))

await shareThreads(scratch, fileURLToPath(new URL('./preload.mjs', import.meta.url)))
const { scenarios, told: before } = await prepare(scratch)

let played = 0

/** @param {string} own @param {Parameters<typeof verify>[1]} lines @param {'once' | 'permanent' | undefined} mode */
async function verifyFreed(own, lines, mode) {
  const wrong = await verify(own, lines)
  if (!wrong.some((reason) => reason.includes(`in use by process ${process.pid}`))) return wrong
  // A process that ends gives its lock back: a copy shows whether the data is whole.
  const copy = `${own}-copy`
  cpSync(own, copy, {
    recursive: true,
    filter: (name) => !name.endsWith('.sock') && !name.endsWith('owner.json'),
  })
  const rest = await verify(copy, lines)
  rmSync(copy, { recursive: true, force: true })
  // A disk that refuses everything also refuses the release; then only the end of the process gives the folder back.
  return mode === 'permanent' ? rest : ['the lock is still held', ...rest]
}

/** @param {import('./scenario.mjs').Scenario} scenario @param {import('./preload.mjs').Fault | null} fault @param {import('./memory.mjs').MemoryFault | null} [memory] */
async function play(scenario, fault, memory = null) {
  played += 1
  // A folder of its own: a lock that an earlier run left is not in the way of this one.
  const own = join(folder, String(played))
  mkdirSync(folder, { recursive: true })
  if (scenario.from === null) mkdirSync(own)
  else cpSync(scenario.from, own, { recursive: true })
  const told = newTold()
  loose.length = 0
  setFault(fault)
  setMemoryFault(memory)
  await scenario.run(own, told)
  const struck = struckCount() + memoryStruck()
  const counts = { calls: callCount(), statements: statementCount(), struck }
  setFault(null)
  setMemoryFault(null)
  const base = scenario.from === null ? newTold() : before
  // A restore that failed may have happened or not; either line is right, and what came after it.
  const lines = scenario.name === 'restore' ? [told, together(base, told)] : [together(base, told)]
  const wrong = [...told.unclear, ...(await verifyFreed(own, lines, fault?.mode ?? memory?.mode)), ...loose]
  rmSync(own, { recursive: true, force: true })
  return { ...counts, wrong }
}

/** @typedef {{ scenario: import('./scenario.mjs').Scenario, name: string, fault: import('./preload.mjs').Fault | null, memory: import('./memory.mjs').MemoryFault | null }} Run */
/** @type {Run[]} */
const planned = []
/** @type {Record<string, { calls: number, statements: number }>} */
const calls = {}
for (const scenario of scenarios) {
  const { calls: count, statements, wrong } = await play(scenario, null)
  if (wrong.length > 0) throw new Error(`${scenario.name} fails without a fault: ${wrong.join('; ')}`)
  calls[scenario.name] = { calls: count, statements }
  for (const mode of modes) {
    for (let nth = 1; nth <= count; nth += 1) {
      for (const code of codes) {
        const name = `${scenario.name}, call ${nth} fails with ${code} (${mode})`
        planned.push({ scenario, name, fault: { nth, code, mode }, memory: null })
      }
    }
    // A few hundred places of some thousand: replay and reads step through the same ones again and again.
    for (let nth = 1; nth <= statements; nth += Math.max(1, Math.floor(statements / 200))) {
      for (const code of memoryFaults) {
        const name = `${scenario.name}, statement ${nth} fails with ${code} (${mode})`
        planned.push({ scenario, name, fault: null, memory: { nth, code, mode } })
      }
    }
  }
}

// By name, not by position: the number of calls differs a little between processes, and shards cover each case once.
const orderOf = (/** @type {Run} */ { name }) => crc32(`${given.seed} ${name}`)
const mine = planned
  .filter(({ name }) => crc32(name) % given.shards === given.shard - 1)
  .toSorted((a, b) => orderOf(a) - orderOf(b))
const chosen = given.runs === 0 ? mine : mine.slice(0, given.runs)
let violations = 0
let struck = 0
let done = 0
let last = Date.now()
const began = performance.now()
const isLate = () => given.minutes > 0 && performance.now() - began > given.minutes * 60_000
for (const { scenario, name, fault, memory } of chosen) {
  if (isLate()) break
  let wrong
  try {
    const result = await play(scenario, fault, memory)
    struck += result.struck > 0 ? 1 : 0
    wrong = result.wrong
  } catch (error) {
    if (!(error instanceof Hung)) throw error
    wrong = [error.message]
  }
  done += 1
  if (wrong.length > 0) {
    violations += 1
    process.stderr.write(`VIOLATION ${name}: ${wrong.join('; ')}\n`)
  }
  if (Date.now() - last > 10_000) {
    last = Date.now()
    process.stderr.write(`${done} of ${chosen.length}\n`)
  }
}
rmSync(scratch, { recursive: true, force: true })
const shard = `${given.shard}/${given.shards}`
const seconds = Math.round((performance.now() - began) / 1000)
const cpuSeconds = Math.round(process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6)
const counts = { planned: planned.length, runs: done, struck, violations, seconds, cpuSeconds }
process.stdout.write(`${JSON.stringify({ harness: 'faults', seed: given.seed, shard, calls, ...counts })}\n`)
process.exit(violations > 0 ? 1 : 0)
