// @ts-check
// `npm run test:powerloss -- --seed N --shard i/n --states N`: records workloads and checks states after
// power losses, until that many distinct states were checked. Exits with 1 if there are fewer.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { shareThreads } from '../faults/threads.mjs'
import { readArguments } from '../lib/arguments.mjs'
import { powerLoss } from './power-loss.mjs'

const options = readArguments(process.argv.slice(2), { states: 10_000, rounds: 12 })
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'promptdeck-powerloss-'))
let last = Date.now()
try {
  const states = Math.ceil(options.states / options.shards)
  const seed = options.seed * 1000 + options.shard
  await shareThreads(scratch, null)
  const began = performance.now()
  const result = await powerLoss({
    ...options,
    seed,
    states,
    scratch,
    onProgress(model, done) {
      if (Date.now() - last < 10_000) return
      last = Date.now()
      process.stderr.write(`${model}: ${done} states\n`)
    },
  })
  const seconds = (performance.now() - began) / 1000
  for (const { workload, model, entry, reason } of result.violations) {
    process.stderr.write(
      `VIOLATION ${model} after entry ${entry} of workload ${workload} (seed ${seed}): ${reason}\n`,
    )
  }
  if (result.control === 0) process.stderr.write('The control with a lying fsync found nothing.\n')
  if (result.states < states) {
    process.stderr.write(
      `Only ${result.states} of ${states} states were found: workloads of ${options.rounds} rounds have no more. Ask for more --rounds.\n`,
    )
  }
  const { violations, ...counts } = result
  const shard = `${options.shard}/${options.shards}`
  const speed = {
    seconds: Math.round(seconds),
    statesPerSecond: Math.round((10 * result.states) / seconds) / 10,
  }
  process.stdout.write(
    `${JSON.stringify({ harness: 'powerloss', seed: options.seed, shard, ...counts, ...speed, violations: violations.length })}\n`,
  )
  const hasPassed = violations.length === 0 && result.control > 0 && result.states >= states
  process.exitCode = hasPassed ? 0 : 1
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
// Pooled threads would keep the process running.
process.exit()
