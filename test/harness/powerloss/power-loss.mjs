// @ts-check
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { models } from './crash.mjs'
import { explore } from './explore.mjs'
import { readLog } from './log.mjs'
import { recordWorkload } from './workload.mjs'

/** Maximum number of states per workload; the next workload makes other calls. */
const STATES_PER_WORKLOAD = 2500
/** If a workload adds fewer states than this, the target number cannot be reached. */
const MIN_NEW_STATES = 20

/**
 * @typedef {{ seed: number, states: number, rounds: number, scratch: string, serviceEvery?: number, onProgress?: (model: string, done: number) => void }} Options
 * @typedef {import('./explore.mjs').Violation & { workload: number }} Violation
 */

/** @param {Options} options @param {number} workload */
async function record({ seed, rounds, scratch }, workload) {
  const folder = join(scratch, 'data')
  const log = join(scratch, 'calls.log')
  rmSync(folder, { recursive: true, force: true })
  rmSync(log, { force: true })
  mkdirSync(folder)
  await recordWorkload({ folder, log, seed: seed + workload * 100_000, rounds })
  return readLog(log)
}

/**
 * Runs the harness: records as many workloads as needed for the number of states, for both models, and a
 * control run in which fsync has no effect.
 * @param {Options} options
 */
export async function powerLoss(options) {
  const { seed, states, scratch, serviceEvery = 400, onProgress } = options
  /** @type {Set<string>} */
  const seen = new Set()
  const counts = { calls: 0, workloads: 0, strict: 0, ext4: 0, services: 0, repeated: 0, control: 0 }
  /** @type {Violation[]} */
  const violations = []
  let added = states
  while (seen.size < states && added >= Math.min(MIN_NEW_STATES, states)) {
    const before = seen.size
    const entries = await record(options, counts.workloads)
    const wanted = Math.min(states - before, STATES_PER_WORKLOAD)
    for (const [index, model] of models.entries()) {
      // A model with fewer states leaves the remaining number to the next workload.
      const quota = index === 0 ? Math.ceil(wanted / models.length) : wanted - (seen.size - before)
      const part = await explore({
        entries,
        model,
        seed: seed + index + counts.workloads * models.length,
        states: Math.min(quota, Math.ceil(wanted / models.length)),
        scratch,
        seen,
        serviceEvery,
        onProgress: () => onProgress?.(model, seen.size),
      })
      counts[model] += part.checked
      counts.services += part.services
      counts.repeated += part.repeated
      violations.push(...part.violations.map((violation) => ({ ...violation, workload: counts.workloads })))
    }
    if (counts.workloads === 0) {
      const lying = { entries, model: models[0], seed, states: 200, scratch, seen: new Set(), isLying: true }
      const control = await explore({ ...lying, stopAtFirst: true })
      counts.control = control.violations.length
    }
    counts.calls += entries.length
    counts.workloads += 1
    added = seen.size - before
  }
  return { states: seen.size, ...counts, violations }
}
