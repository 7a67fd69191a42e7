// @ts-check
import initSqlJs from 'sql.js'

/**
 * Failing memory of the SQL engine in this thread: `nomem` makes SQLite refuse a statement, `trap` is a trap
 * of the WASM module, as after a failed allocation in the module itself.
 */
export const memoryFaults = /** @type {const} */ (['nomem', 'trap'])
/** @typedef {{ readonly nth: number, readonly code: (typeof memoryFaults)[number], readonly mode: 'once' | 'permanent' }} MemoryFault */

/** @type {MemoryFault | null} */
let active = null
let count = 0
let injected = 0

// sql.js compiles one module per thread, so the store uses this instance.
const { Database } = await initSqlJs()
const probe = new Database()
const statement = Object.getPrototypeOf(probe.prepare('SELECT 1'))
probe.close()
const step = statement.step

/** @this {unknown} */
statement.step = function failing(/** @type {unknown[]} */ ...args) {
  count += 1
  if (active !== null && (count === active.nth || (count > active.nth && active.mode === 'permanent'))) {
    injected += 1
    // The error of sql.js for SQLITE_NOMEM, before the statement has any effect.
    if (active.code === 'nomem') throw new Error('out of memory')
    throw new WebAssembly.RuntimeError('memory access out of bounds')
  }
  return step.apply(this, args)
}

/** Makes the Nth statement from now on fail; null clears the fault. @param {MemoryFault | null} fault */
export function setMemoryFault(fault) {
  active = fault
  count = 0
  injected = 0
}

export const statementCount = () => count
export const injectedMemoryFaults = () => injected
