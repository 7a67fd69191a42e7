// @ts-check
import { EventEmitter } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { MessageChannel, Worker as Thread } from 'node:worker_threads'

/** Uses after which a host is replaced: it accumulates what failed workers did not close. */
const USES = 50
/** Time in which a worker must end after its last job, in ms. */
const ENDING_MS = 100

/** @typedef {{ thread: Thread, uses: number, worker: PooledWorker | null }} Host */
/** @typedef {{ readonly url: URL, readonly data: { sources: [string, string][], preloadModule: string }, readonly idle: Host[] }} Pool */

/** @param {Pool} pool @returns {Host} */
function takeHost(pool) {
  const idle = pool.idle.pop()
  if (idle !== undefined) return idle
  const thread = new Thread(pool.url, { workerData: pool.data, execArgv: [] })
  /** @type {Host} */
  const host = { thread, uses: 0, worker: null }
  thread.on('error', (error) => host.worker?.emit('error', error))
  thread.on('exit', (code) => host.worker?.ended(code))
  return host
}

/** A thread of the pool with the interface of a Worker. */
export class PooledWorker extends EventEmitter {
  #pool
  #host
  #isEnded = false

  /** @param {Pool} pool @param {string} name @param {import('node:worker_threads').WorkerOptions} options */
  constructor(pool, name, { workerData, transferList = [] }) {
    super()
    this.#pool = pool
    this.#host = takeHost(pool)
    this.#host.worker = this
    this.#host.uses += 1
    const { port1, port2 } = new MessageChannel()
    port1.on('message', (reply) => {
      if (!('isDone' in reply)) return this.emit('message', reply.message)
      port1.close()
      if ('error' in reply) this.emit('error', reply.error)
      return this.#release('error' in reply ? 1 : 0)
    })
    this.#host.thread.postMessage({ name, data: workerData, port: port2 }, [port2, ...transferList])
  }

  /** @param {number} code */
  #release(code) {
    const host = this.#host
    host.worker = null
    if (host.uses < USES) this.#pool.idle.push(host)
    else void host.thread.terminate()
    this.ended(code)
  }

  /** @param {number} code */
  ended(code) {
    if (this.#isEnded) return
    this.#isEnded = true
    this.emit('exit', code)
  }

  async terminate() {
    if (this.#isEnded) return 0
    const end = new AbortController()
    this.once('exit', () => end.abort())
    await delay(ENDING_MS, null, { signal: end.signal }).catch(() => {})
    if (!this.#isEnded) await this.#host.thread.terminate()
    return 1
  }

  ref() {}
  unref() {}
}
