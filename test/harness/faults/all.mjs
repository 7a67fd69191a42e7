// @ts-check
// `npm run test:faults -- --seed N --shard i/n [--runs N]`: failing file calls, failing memory and damaged
// files. `--runs` limits the number of each, `--minutes` the time of each. Ends with one line of counts.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readArguments } from '../lib/arguments.mjs'

/** Each run creates much short-lived garbage; parallel collection would use more CPU than it saves time. */
const flags = ['--single-threaded-gc', '--min-semi-space-size=16']
const cliArgs = process.argv.slice(2)
const { seed, shard, shards, runs, minutes } = readArguments(cliArgs, { runs: 0, minutes: 0 })
const here = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url))
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'promptdeck-faults-'))
const env = { ...process.env, FAULTS_FOLDER: join(scratch, 'data') }

/** @param {readonly string[]} args */
async function runPart(args) {
  const child = spawn(process.execPath, [...flags, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  const [code] = await once(child, 'close')
  const line = stdout.trim().split('\n').at(-1) ?? ''
  return { code, counts: line.startsWith('{') ? JSON.parse(line) : { error: 'it ended without counts' } }
}

/** Runs per process: memory of closed services accumulates. */
const RUNS_PER_PROCESS = 150
/** Approximate total number of runs, to size the batches. */
const ALL_RUNS = 22_000

/** Runs the failing calls of the shard in batches, each in a separate process. */
async function failingCalls() {
  const preload = new URL('./preload.mjs', import.meta.url).href
  const wanted = runs === 0 ? Math.ceil(ALL_RUNS / shards) : runs
  const batches = Math.ceil(wanted / RUNS_PER_PROCESS)
  /** @type {{ code: number, counts: Record<string, any> }} */
  const sum = { code: 0, counts: { runs: 0, injected: 0, violations: 0, seconds: 0, cpuSeconds: 0 } }
  for (let batch = 0; batch < batches; batch += 1) {
    if (minutes > 0 && performance.now() > minutes * 60_000) break
    const shardArgs = ['--seed', `${seed}`, '--shard', `${shard + batch * shards}/${shards * batches}`]
    const runsArgs =
      runs === 0 ? [] : ['--runs', `${Math.ceil((runs - sum.counts['injected']) / (batches - batch))}`]
    const batchArgs = ['--import', preload, here('./run.mjs'), ...shardArgs, ...runsArgs]
    const { code, counts } = await runPart(batchArgs)
    sum.code ||= code
    if ('error' in counts) return { code: 1, counts: { ...sum.counts, ...counts } }
    for (const name of Object.keys(sum.counts)) sum.counts[name] += counts[name]
    sum.counts['planned'] = counts['planned']
    process.stderr.write(`${JSON.stringify(sum.counts)}\n`)
  }
  return sum
}

try {
  const faults = await failingCalls()
  const damage = await runPart([here('../damage/run.mjs'), ...cliArgs])
  const counts = {
    harness: 'faults',
    seed,
    shard: `${shard}/${shards}`,
    faults: faults.counts,
    damage: damage.counts,
  }
  process.stdout.write(`${JSON.stringify(counts)}\n`)
  // Without an injected fault and a damaged file, nothing was tested.
  const isTested = faults.counts['injected'] > 0 && damage.counts['runs'] > 0
  process.exitCode = isTested && faults.code === 0 && damage.code === 0 ? 0 : 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
