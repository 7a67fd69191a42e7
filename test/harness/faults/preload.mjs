// @ts-check
/**
 * Preload of the fault harness, for every thread: counts the file calls on the scenario's folder across all
 * threads, and makes the Nth fail. The main thread creates the shared cells; worker threads inherit them.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import { setDiskHook } from '../../../dist/server/disk/hook.js'

export const codes = /** @type {const} */ (['ENOSPC', 'EIO', 'EPERM', 'EMFILE', 'EBUSY'])
export const modes = /** @type {const} */ (['once', 'permanent'])
/** @typedef {(typeof codes)[number]} Code */
/** @typedef {(typeof modes)[number]} Mode */
/** @typedef {{ readonly nth: number, readonly code: Code, readonly mode: Mode }} Fault */

const key = 'faults of the harness'
const COUNT = 0
const NTH = 1
const CODE = 2
const MODE = 3
const INJECTED = 4

const opens = ['open', 'writeFile', 'readFile', 'readdir']
const changes = [
  'open',
  'mkdir',
  'rename',
  'rm',
  'unlink',
  'chmod',
  'writeFile',
  'copyFile',
  'link',
  'symlink',
]
const grows = [
  'open',
  'mkdir',
  'rename',
  'write',
  'writev',
  'writeFile',
  'ftruncate',
  'fsync',
  'fdatasync',
  'copyFile',
]
/**
 * Calls that fail permanently on such a disk, after the Nth, which always fails.
 * @type {Readonly<Record<Code, readonly string[] | null>>}
 */
const refused = { ENOSPC: grows, EIO: null, EPERM: changes, EMFILE: opens, EBUSY: changes }

if (isMainThread) {
  const cells = new Int32Array(new SharedArrayBuffer(5 * 4))
  setEnvironmentData(key, { cells, folder: process.env['FAULTS_FOLDER'] ?? '' })
}
const { cells, folder } = /** @type {{ cells: Int32Array<SharedArrayBuffer>, folder: string }} */ (
  /** @type {unknown} */ (getEnvironmentData(key))
)

setDiskHook({
  before({ call, path }) {
    // A close releases the descriptor even if it fails.
    if (call === 'close' || !(path === folder || path.startsWith(`${folder}/`))) return
    const count = Atomics.add(cells, COUNT, 1) + 1
    const nth = Atomics.load(cells, NTH)
    if (nth === 0 || count < nth) return
    const code = codes[Atomics.load(cells, CODE)] ?? 'EIO'
    const isPermanent = modes[Atomics.load(cells, MODE)] === 'permanent'
    if (count > nth && !(isPermanent && (refused[code]?.includes(call) ?? true))) return
    Atomics.add(cells, INJECTED, 1)
    throw Object.assign(new Error(`${code}: injected fault, ${call} '${path}'`), {
      code,
      syscall: call,
      path,
    })
  },
})

/** Makes the Nth call from now on fail; null clears the fault. @param {Fault | null} fault */
export function setFault(fault) {
  Atomics.store(cells, NTH, 0)
  Atomics.store(cells, COUNT, 0)
  Atomics.store(cells, INJECTED, 0)
  if (fault === null) return
  Atomics.store(cells, CODE, codes.indexOf(fault.code))
  Atomics.store(cells, MODE, modes.indexOf(fault.mode))
  Atomics.store(cells, NTH, fault.nth)
}

/** Returns the number of calls since the fault was set. */
export const callCount = () => Atomics.load(cells, COUNT)
export const injectedFaults = () => Atomics.load(cells, INJECTED)
/** Fault from the environment, for a process that is started with one. */
const [nth, code, mode] = (process.env['FAULTS_SET'] ?? '').split(',')
if (isMainThread && nth) {
  setFault({ nth: Number(nth), code: /** @type {Code} */ (code), mode: /** @type {Mode} */ (mode) })
}
