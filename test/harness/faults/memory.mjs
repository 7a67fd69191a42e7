// @ts-check
import initSqlJs from 'sql.js'

/**
 * Failing memory of the SQL engine in this thread: a statement that SQLite refuses with NOMEM, or a trap of the WASM
 * module, which is what an allocation does that the module itself cannot survive.
 */
export const memoryFaults = /** @type {const} */ (['nomem', 'trap'])
/** @typedef {{ readonly nth: number, readonly code: (typeof memoryFaults)[number], readonly mode: 'once' | 'permanent' }} MemoryFault */

/** @type {MemoryFault | null} */
let current = null
let count = 0
let struck = 0

// sql.js compiles one module for each thread: the one the store gets is this one.
const { Database } = await initSqlJs()
const probe = new Database()
const statement = Object.getPrototypeOf(probe.prepare('SELECT 1'))
probe.close()
const step = statement.step

/** @this {unknown} */
statement.step = function failing(/** @type {unknown[]} */ ...args) {
  count += 1
  if (current !== null && (count === current.nth || (count > current.nth && current.mode === 'permanent'))) {
    struck += 1
    // What sql.js throws for SQLITE_NOMEM, before the statement did anything.
    if (current.code === 'nomem') throw new Error('out of memory')
    throw new WebAssembly.RuntimeError('memory access out of bounds')
  }
  return step.apply(this, args)
}

/** Lets the Nth statement from now on fail; null clears the fault. @param {MemoryFault | null} fault */
export function setMemoryFault(fault) {
  current = fault
  count = 0
  struck = 0
}

export const statementCount = () => count
export const memoryStruck = () => struck
