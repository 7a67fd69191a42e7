// @ts-check
/**
 * Makes the threads of the service cheap, so that the full number of runs is affordable. A run starts about
 * eight threads, and each would load some 70 modules and compile the SQL engine: a second of CPU per run.
 *
 * - The workers of the store are bundled into one text each, once per process, together with the preload that
 *   counts their file calls. Pooled threads run these texts, each time with new module state.
 * - The SQL engine is compiled once per process; threads share the compiled module.
 * - The buffer of a store gets little spare capacity: `allocateBuffer` in server/db/engines/sqljs/sqlite/memory-database.ts takes what the machine
 *   offers. Hundreds of megabytes per start use no physical memory, but cause a full garbage collection each.
 * - Stubs hash passwords and count tokens: the real threads make no file call on the data folder, and take
 *   100 and 300 ms to load. A stub replaces the index of captured texts, which is derived data: its faults are
 *   in test/server/runs/content/index-damage.test.ts.
 *
 * The code under test is that of the service, and all its file calls are counted.
 */
import { EventEmitter } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import threads, { setEnvironmentData } from 'node:worker_threads'
import { hashSync } from 'bcryptjs'
import { build } from 'vite'
import { PooledWorker } from './pooled-worker.mjs'

const require = createRequire(import.meta.url)
const server = (/** @type {string} */ path) =>
  fileURLToPath(new URL(`../../../dist/server/${path}`, import.meta.url))
/** Workers that run in pooled threads: they exit on their own. */
const pooled = ['db/engines/sqljs/journal/journal.worker.js', 'db/engines/sqljs/snapshot/snapshot.worker.js']
/** Larger than any database of a run, and too small to trigger a garbage collection. */
const MAX_BUFFER_BYTES = 6 * 1024 * 1024

const moduleKey = 'compiled SQL engine of the harness'
/** Uses the compiled module instead of compiling its bytes again. */
const shareModule = `
import { getEnvironmentData } from 'node:worker_threads'
const compiled = getEnvironmentData(${JSON.stringify(moduleKey)})
const instantiate = WebAssembly.instantiate
WebAssembly.instantiate = async (source, imports) =>
  source instanceof WebAssembly.Module
    ? instantiate(source, imports)
    : { module: compiled, instance: await instantiate(compiled, imports) }
const alloc = Buffer.alloc
Buffer.alloc = (size, ...rest) => {
  if (size > ${MAX_BUFFER_BYTES}) throw new RangeError('Array buffer allocation failed')
  return alloc(size, ...rest)
}
`

/**
 * Replaces the threads of the service from now on.
 * @param {string} scratch A folder of this process for the bundles.
 * @param {string | null} preload The file that each worker loads first.
 */
export async function shareThreads(scratch, preload) {
  const folder = join(scratch, 'threads')
  mkdirSync(folder, { recursive: true })
  const engine = readFileSync(require.resolve('sql.js/dist/sql-wasm.wasm'))
  setEnvironmentData(moduleKey, new WebAssembly.Module(engine))
  const share = join(folder, 'share.mjs')
  writeFileSync(share, shareModule)
  await import(pathToFileURL(share).href)
  /** @type {[string, string][]} */
  const sources = []
  for (const path of pooled) {
    const name = basename(path, '.js')
    const entry = join(folder, `${name}.entry.mjs`)
    const parts = preload === null ? [server(path)] : [preload, server(path)]
    writeFileSync(entry, parts.map((part) => `import ${JSON.stringify(part)}\n`).join(''))
    sources.push([`${name}.js`, asFunction(await bundle(entry, join(folder, name)))])
  }
  const data = { sources, preloadModule: pathToFileURL(share).href }
  replaceWorker({ url: new URL('./thread-host.mjs', import.meta.url), data, idle: [] })
}

/** @param {string} entry @param {string} outDir */
async function bundle(entry, outDir) {
  const file = `${basename(outDir)}.mjs`
  await build({
    configFile: false,
    logLevel: 'error',
    root: outDir.slice(0, outDir.lastIndexOf('/')),
    ssr: { noExternal: true },
    build: {
      ssr: entry,
      outDir,
      minify: false,
      target: 'node20',
      rolldownOptions: { output: { entryFileNames: file } },
    },
  })
  return readFileSync(join(outDir, file), 'utf8')
}

/** Turns a bundle, whose imports are one line each, into a function of `require`. @param {string} bundled */
function asFunction(bundled) {
  const body = bundled
    .replaceAll('import.meta.url', JSON.stringify(import.meta.url))
    .replaceAll(/^import \{(.+)\} from (".+");$/gm, (_, names, from) => {
      return `const {${names.replaceAll(' as ', ': ')}} = require(${from});`
    })
    .replaceAll(/^import \* as (\S+) from (".+");$/gm, 'const $1 = require($2);')
    .replaceAll(/^import (\S+) from (".+");$/gm, 'const $1 = require($2);')
    .replaceAll(/^export \{\s*\};$/gm, '')
  return `async (require) => {'use strict';\n${body}\n}`
}

/** A worker that replies in this thread. */
class Stub extends EventEmitter {
  #answer

  /** @param {(job: any) => object} answer */
  constructor(answer) {
    super()
    this.#answer = answer
  }
  /** @param {{ id: number }} job */
  postMessage(job) {
    setImmediate(() => this.emit('message', { id: job.id, ...this.#answer(job) }))
  }
  async terminate() {}
  ref() {}
  unref() {}
}

/** @type {Readonly<Record<string, (job: any) => object>>} */
const stubs = {
  'tokens.worker.js': ({ texts }) => ({ counts: texts.map(() => 1) }),
  'content.worker.js': ({ call, name }) => ({
    call,
    result: name === 'catchUp' ? { indexedBytes: 0, totalBytes: 0, damaged: 0 } : undefined,
  }),
  'passwords.worker.js': ({ secret, cost }) => ({ value: hashSync(secret, cost) }),
}

/** @param {import('./pooled-worker.mjs').Pool} pool */
function replaceWorker(pool) {
  const { Worker } = threads
  const names = new Set(pool.data.sources.map(([name]) => name))
  /** @param {string | URL} file @param {import('node:worker_threads').WorkerOptions} [options] */
  function Substitute(file, options = {}) {
    const name = basename(String(file))
    if (names.has(name)) return new PooledWorker(pool, name, options)
    const stub = stubs[name]
    return stub === undefined ? new Worker(file, options) : new Stub(stub)
  }
  Object.assign(threads, { Worker: Substitute })
  syncBuiltinESMExports()
}
