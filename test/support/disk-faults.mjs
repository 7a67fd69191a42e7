// @ts-check
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

/**
 * File calls of the store that a test can make fail: names of the calls, and a pattern of the file name.
 * @type {Readonly<Record<FaultPoint, { readonly calls: readonly string[], readonly file: RegExp }>>}
 */
const points = {
  'journal.reserve': { calls: ['write'], file: /^journal-\d+\.log\.\w+\.tmp$/ },
  'journal.write': { calls: ['write'], file: /^journal-\d+\.log$/ },
  'journal.sync': { calls: ['fsync', 'fdatasync'], file: /^journal-\d+\.log$/ },
  'snapshot.write': { calls: ['write'], file: /^snapshot-\d+\.db\.\w+\.tmp$/ },
  'snapshot.sync': { calls: ['fdatasync'], file: /^snapshot-\d+\.db\.\w+\.tmp$/ },
  'snapshot.rename': { calls: ['rename'], file: /^snapshot-\d+\.db\.\w+\.tmp$/ },
}
/** @typedef {'journal.reserve' | 'journal.write' | 'journal.sync' | 'snapshot.write' | 'snapshot.sync' | 'snapshot.rename'} FaultPoint */
/** @typedef {'ENOSPC' | 'EDQUOT' | 'EIO' | 'EROFS' | 'EACCES' | 'HOLD'} FaultCode `HOLD`: the call waits until the fault is cleared. */

const names = /** @type {FaultPoint[]} */ (Object.keys(points))
const codes = /** @type {const} */ (['', 'ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'HOLD', 'held'])
const key = 'faults of the disk'

/**
 * Faults of one folder. Shared memory, because the failing call is in a worker thread: one cell per point,
 * with 0 or the index of the error code of every call until it is cleared.
 * @typedef {{ readonly folder: string, readonly cells: Int32Array<SharedArrayBuffer> }} Faults
 */

/**
 * Enables faults for the file calls of this thread and of threads started later.
 * @param {string} folder
 * @returns {Promise<Faults>}
 */
export async function createFaults(folder) {
  const faults = { folder, cells: new Int32Array(new SharedArrayBuffer(names.length * 4)) }
  setEnvironmentData(key, faults)
  await installFaults()
  return faults
}

/**
 * @param {Faults} faults
 * @param {FaultPoint} point
 * @param {FaultCode | null} code
 */
export function setFault({ cells }, point, code) {
  Atomics.store(cells, names.indexOf(point), code === null ? 0 : codes.indexOf(code))
  Atomics.notify(cells, names.indexOf(point))
}

/**
 * Returns true if a call waits at `point`.
 * @param {Faults} faults
 * @param {FaultPoint} point
 */
export const isHeld = ({ cells }, point) => codes[Atomics.load(cells, names.indexOf(point))] === 'held'

/** Installs the faults inherited from the parent thread, if any. */
export async function installFaults() {
  const faults = /** @type {Faults | undefined} */ (getEnvironmentData(key))
  if (faults === undefined) return
  const { folder, cells } = faults
  // Tests run the build; its path differs per checkout.
  const { setDiskHook } = await import('../../dist/server/disk/hook.js')
  setDiskHook({
    /** @param {{ call: string, path: string }} operation */
    before({ call, path }) {
      if (!path.startsWith(`${folder}/`)) return
      const file = path.slice(folder.length + 1)
      for (const [index, name] of names.entries()) {
        const code = codes[Atomics.load(cells, index)]
        if (!code || !points[name].calls.includes(call) || !points[name].file.test(file)) continue
        if (code === 'HOLD') hold(cells, index)
        else throw Object.assign(new Error(`${code}: injected at ${name}`), { code })
      }
    },
  })
}

/** @type {(cells: Int32Array, index: number) => void} */
function hold(cells, index) {
  const held = codes.indexOf('held')
  Atomics.store(cells, index, held)
  Atomics.wait(cells, index, held)
}
