// @ts-check
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRandom } from '../lib/random.mjs'
import { checkFolder, checkService } from './check.mjs'
import { digestState } from './crash.mjs'
import { Disk } from './disk-model.mjs'
import { createExpectations } from './expectations.mjs'

/** @typedef {import('./crash.mjs').Model} Model */
/** @typedef {{ model: Model, entry: number, reason: string, digest: string }} Violation */

/** @param {string} folder @param {import('./crash.mjs').State} files */
function writeState(folder, files) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const path of [...files.keys()].toSorted()) {
    const file = files.get(path)
    if (file?.isFolder) mkdirSync(join(folder, path), { recursive: true })
    else if (file !== undefined) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), file.bytes)
    }
  }
}

/**
 * Returns a message if a file that was complete at an acknowledgement has other content; null if none has.
 * @param {import('./crash.mjs').State} files @param {ReadonlyMap<string, string>} expected
 */
function compareFiles(files, expected) {
  for (const [path, digest] of expected) {
    if (files.get(path)?.digest !== digest) return `${path} is not what it was`
  }
  return null
}

/**
 * Replays the log once and checks states that a power loss after each entry may leave. Stops after `states`
 * different states.
 * @param {{ entries: readonly import('./log.mjs').Entry[], model: Model, seed: number, states: number, scratch: string, seen: Set<string>, isLying?: boolean, serviceEvery?: number, stopAtFirst?: boolean, onProgress?: (done: number) => void }} options
 */
export async function explore(options) {
  const { entries, model, seed, states, scratch, seen, isLying = false, serviceEvery = 0 } = options
  const random = createRandom(seed)
  const disk = new Disk(model, isLying)
  const expectations = createExpectations(disk)
  const folder = join(scratch, 'state')
  /** @type {Violation[]} */
  const violations = []
  const counts = { checked: 0, services: 0, repeated: 0 }

  /** @param {number} at */
  async function checkOne(at) {
    const files = disk.crash(random)
    const digest = digestState(files)
    if (seen.has(digest)) {
      counts.repeated += 1
      return
    }
    seen.add(digest)
    const expected = expectations.now()
    counts.checked += 1
    let reason = compareFiles(files, expected.files)
    if (reason === null) {
      writeState(folder, files)
      reason = await checkFolder(folder, expected)
    }
    if (reason === null && serviceEvery > 0 && counts.checked % serviceEvery === 0) {
      counts.services += 1
      writeState(folder, files)
      reason = await checkService(folder, expected)
    }
    if (reason !== null) violations.push({ model, entry: at, reason, digest })
    options.onProgress?.(counts.checked)
  }

  for (const [at, entry] of entries.entries()) {
    if (entry.call === 'client') expectations.receive(entry.what)
    else disk.step(entry)
    // Spread the remaining states over the remaining entries.
    const share = (states - counts.checked) / (entries.length - at)
    // A repeated state does not count: more repetitions need more attempts.
    const repeats = counts.repeated / Math.max(1, counts.checked)
    let tries = Math.floor(share * (1.6 + Math.min(repeats, 8)) + random())
    // Without pending changes there is only one state.
    if (disk.pendingCount() === 0) tries = Math.min(tries, 1)
    for (; tries > 0 && counts.checked < states; tries -= 1) {
      await checkOne(at)
      if (options.stopAtFirst === true && violations.length > 0) return { ...counts, violations }
    }
  }
  return { ...counts, violations }
}
