// @ts-check
// `npm run test:fuzz -- --seed N --shard i/n [--inputs N] [--statements N]`: mutated inputs for every
// decoder, and replay compared with native SQLite. Ends with one JSON line. `--inputs` is the total over all
// decoders and shards.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readArguments } from '../lib/arguments.mjs'
import { createRandom } from '../lib/random.mjs'
import { compareReplay } from './replay.mjs'
import { createTargets } from './targets.mjs'

const { seed, shard, shards, inputs, statements } = readArguments(process.argv.slice(2), {
  inputs: 1_100_000,
  statements: 20_000,
})
/** Limit of processor time per input, which other load does not affect. It is ample for a few kB of input. */
const maxMs = 1_000
const processorMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
const folder = mkdtempSync(join(tmpdir(), 'promptdeck-fuzz-'))
const targets = Object.entries(await createTargets(folder))
const inputsPerTarget = Math.ceil(inputs / shards / targets.length)
const startedAt = Date.now()
/** @type {Record<string, { inputs: number, violations: number, slowest_ms: number }>} */
const counts = {}
let passed = 0
let failed = 0

for (const [at, [name, target]] of targets.entries()) {
  const targetCounts = { inputs: 0, violations: 0, slowest_ms: 0 }
  for (let number = 0; number < inputsPerTarget; number += 1) {
    // Each input has its own seed, so that it can be repeated alone.
    const inputSeed = (seed * 7919 + at * 104_729 + (number * shards + shard) * 31) >>> 0
    const startedMs = processorMs()
    let wrong
    try {
      wrong = await target(createRandom(inputSeed))
    } catch (error) {
      wrong = `threw ${error instanceof Error ? error.stack : error}`
    }
    const ms = processorMs() - startedMs
    targetCounts.inputs += 1
    targetCounts.slowest_ms = Math.max(targetCounts.slowest_ms, Math.round(ms))
    if (wrong === null && ms <= maxMs) continue
    targetCounts.violations += 1
    if (targetCounts.violations <= 5)
      process.stdout.write(`VIOLATION  ${name} (seed ${inputSeed}): ${wrong ?? `${Math.round(ms)} ms`}\n`)
  }
  counts[name] = targetCounts
  if (targetCounts.violations === 0) passed += 1
  else failed += 1
}

const statementsPerDatabase = 400
const replayed = { statements: 0, violations: 0 }
for (let round = 0; replayed.statements < statements / shards; round += 1) {
  const roundSeed = (seed * 7919 + round * shards + shard) >>> 0
  const { statements: done, wrong } = await compareReplay(
    createRandom(roundSeed),
    folder,
    Math.min(statementsPerDatabase, statements),
  )
  replayed.statements += done
  if (wrong === null) continue
  replayed.violations += 1
  process.stdout.write(`VIOLATION  replay (seed ${roundSeed}): ${wrong}\n`)
  if (replayed.violations === 5) break
}
const total = Object.values(counts).reduce((sum, one) => sum + one.inputs, 0)
const isComplete = total >= inputs / shards && replayed.statements >= statements / shards
if (!isComplete)
  process.stdout.write(`VIOLATION  ${total} inputs and ${replayed.statements} statements are too few\n`)
if (replayed.violations === 0 && isComplete) passed += 1
else failed += 1
rmSync(folder, { recursive: true, force: true })
const seconds = Math.round((Date.now() - startedAt) / 1000)
process.stdout.write(
  `${JSON.stringify({ harness: 'fuzz', seed, shard: `${shard}/${shards}`, passed, failed, inputs: total, seconds, processor_seconds: Math.round(processorMs() / 1000), decoders: counts, replay: replayed })}\n`,
)
process.exitCode = failed === 0 ? 0 : 1
