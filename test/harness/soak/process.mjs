// @ts-check
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '../lib/checks.mjs'
import { token } from '../lib/process.mjs'

const preload = new URL('./preload.mjs', import.meta.url).href
const file = fileURLToPath(new URL('./service.mjs', import.meta.url))

/**
 * V8 optimizes frequent functions and collects type feedback for hours, which is memory but no leak: a comparison of two
 * heap snapshots, six minutes apart under load, showed growth in nothing else. Without an optimizer, and with all
 * feedback allocated at the first call, only data can grow.
 */
const withoutOptimizer = [
  '--no-opt',
  '--no-sparkplug',
  '--no-flush-bytecode',
  '--no-lazy-feedback-allocation',
]

/** The service on a fixed port, which can be restarted. @param {string} dataDir */
export async function createService(dataDir) {
  const port = await freePort()
  /** @type {import('node:child_process').ChildProcess | null} */
  let child = null
  let logged = ''
  const self = {
    url: `http://127.0.0.1:${port}`,
    restarts: 0,
    logged: () => logged,
    async start() {
      const started = spawnService(dataDir, port)
      started.stderr?.setEncoding('utf8').on('data', (text) => {
        logged = (logged + text).slice(-5_000)
      })
      const failed = once(started, 'exit').then(([code]) => {
        throw new Error(`the service ended with ${code}: ${logged}`)
      })
      failed.catch(() => undefined)
      await Promise.race([once(started, 'message'), failed])
      child = started
    },
    /** @param {'SIGTERM' | 'SIGKILL'} signal */
    async stop(signal) {
      if (child === null) return null
      const exited = once(child, 'exit')
      child.kill(signal)
      const [code] = await exited
      child = null
      return code
    },
    /** @param {'SIGTERM' | 'SIGKILL'} signal */
    async restart(signal) {
      const code = await self.stop(signal)
      self.restarts += 1
      await self.start()
      return code
    },
    /**
     * Returns memory after a forced collection: of the program (`bytes`), its compiled code and the database;
     * and open descriptors.
     */
    async measure() {
      if (child === null) throw new Error('the service is not running')
      const answered = once(child, 'message')
      child.send('measure')
      const [{ bytes, code, wasm, databaseBytes }] = await answered
      const { pid = 0 } = child
      return {
        at: performance.now(),
        bytes: Number(bytes),
        code: Number(code),
        wasm: Number(wasm),
        resident: residentOf(pid, Number(databaseBytes)),
        ...descriptorsOf(pid),
      }
    },
    /** Makes the service leak from now on. */
    leak() {
      child?.send('leak')
    },
  }
  return self
}

/** @param {string} dataDir @param {number} port */
const spawnService = (dataDir, port) =>
  spawn(process.execPath, ['--expose-gc', ...withoutOptimizer, '--import', preload, file], {
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: String(port),
      DATA_DIR: dataDir,
      SERVICE_TOKEN: token,
      LOG_LEVEL: 'error',
      MAX_STORE_MB: '256',
      REQUESTS_PER_MINUTE: '1000000',
      CONNECTIONS_PER_ADDRESS: '100000',
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })

/** Returns the resident bytes of a process without its largest mapping, the database. @param {number} pid @param {number} databaseBytes */
function residentOf(pid, databaseBytes) {
  let size = 0
  let resident = 0
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const [, name, kilobytes] = /^(Size|Rss): +(\d+) kB/.exec(line) ?? []
    if (name === 'Size') size = Number(kilobytes) * 1024
    if (name === 'Rss' && size < databaseBytes) resident += Number(kilobytes) * 1024
  }
  return resident
}

/** Counts the sockets of a process apart from its files and pipes. @param {number} pid */
function descriptorsOf(pid) {
  let sockets = 0
  let files = 0
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    const target = targetOf(`/proc/${pid}/fd/${name}`)
    if (target?.startsWith('socket:')) sockets += 1
    else if (target !== null) files += 1
  }
  return { sockets, files }
}

/** Returns null for a descriptor that was closed meanwhile. @param {string} path */
function targetOf(path) {
  try {
    return readlinkSync(path)
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return null
    throw error
  }
}
