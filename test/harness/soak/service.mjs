// @ts-check
// The service, started with --expose-gc. Replies to `measure` from its parent with its memory after a forced
// collection.
import { getHeapCodeStatistics } from 'node:v8'
import { readConfig } from '../../../dist/server/config.js'
import { bufferSizeFor } from '../../../dist/server/db/engines/sqljs/sqlite/memory-database.js'
import { startServer } from '../../../dist/server/index.js'
import { createLogger } from '../../../dist/server/lib/logger.js'

/** @type {WebAssembly.Memory | undefined} The heap of SQLite: its page cache and its prepared statements. */
let engine
const instantiate = WebAssembly.instantiate
WebAssembly.instantiate = /** @type {typeof instantiate} */ (
  async (/** @type {any} */ source, /** @type {any} */ imports) => {
    const result = /** @type {any} */ (await instantiate(source, imports))
    const { exports } = result.instance ?? result
    engine ??= Object.values(exports).find((value) => value instanceof WebAssembly.Memory)
    return result
  }
)

const config = readConfig(process.env)
const server = await startServer(config, { logger: createLogger(config), passwordCost: 4 })
if (engine === undefined) throw new Error('The memory of the database engine was not found')
const heapOfEngine = engine
// Exit with the parent, because no other process would stop it.
process.on('disconnect', () => process.exit(1))
process.on('SIGTERM', () => {
  server.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
})
/** The database is one buffer, whose size is fixed at the start. */
const databaseBytes = bufferSizeFor(0, config.maxStoreBytes)
process.on('message', (message) => {
  if (message !== 'measure') return
  // The second collection frees what finalizers and weak references released in the first.
  globalThis.gc?.()
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const wasm = heapOfEngine.buffer.byteLength
  // V8 compiles frequent code for many more minutes, bounded by the size of the program. Measured in 10 minutes
  // after a warm-up: code grew by 1 MB and everything else by 0.1 MB.
  const { code_and_metadata_size, bytecode_and_metadata_size } = getHeapCodeStatistics()
  const code = code_and_metadata_size + bytecode_and_metadata_size
  process.send?.({ bytes: heapUsed + external - code - databaseBytes - wasm, code, wasm, databaseBytes })
})
process.send?.({ url: server.url })
