import { Worker } from 'node:worker_threads'
import type { ContentIndex, ContentIndexOptions } from '../content-index.ts'
import type { CallName, Calls, FromThread, ThreadData, ToThread } from './messages.ts'

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }

type State = {
  readonly options: ContentIndexOptions
  readonly waiting: Map<number, Waiting>
  worker: Worker | null
  lastCall: number
}

/**
 * Runs the content index in a thread, because reading and splitting texts would block the event loop. The
 * thread starts with the first call, and again after it failed.
 */
export function createContentThread(options: ContentIndexOptions): ContentIndex {
  const state: State = { options, waiting: new Map(), worker: null, lastCall: 0 }
  return {
    follow: (ends) => send(ensureWorker(state), { follow: ends }),
    catchUp: (...args) => call(state, 'catchUp', args),
    candidates: (...args) => call(state, 'candidates', args),
    excerpts: (...args) => call(state, 'excerpts', args),
    remove: (...args) => call(state, 'remove', args),
    async close() {
      const { worker } = state
      if (worker === null) return
      await call(state, 'close', [])
      state.worker = null
      await worker.terminate()
    },
  }
}

const send = (worker: Worker, message: ToThread): void => worker.postMessage(message)

function call<N extends CallName>(
  state: State,
  name: N,
  args: Calls[N]['args'],
): Promise<Calls[N]['result']> {
  const worker = ensureWorker(state)
  state.lastCall += 1
  const number = state.lastCall
  worker.ref()
  return new Promise((resolve, reject) => {
    // The thread replies with the result of this name.
    state.waiting.set(number, { resolve: resolve as Waiting['resolve'], reject })
    send(worker, { call: number, name, args })
  })
}

function ensureWorker(state: State): Worker {
  if (state.worker !== null) return state.worker
  const { payloads, index, storeId } = state.options
  const workerData: ThreadData = { payloads, index, storeId }
  const worker = new Worker(new URL('./content.worker.js', import.meta.url), { workerData })
  // Indexing alone does not keep the process running.
  worker.unref()
  worker.on('message', (message: FromThread) => receive(state, worker, message))
  worker.on('error', (error) => fail(state, worker, error))
  worker.on('exit', () => fail(state, worker, new Error('The thread of the content index ended')))
  state.worker = worker
  return worker
}

function receive(state: State, worker: Worker, message: FromThread): void {
  const { options, waiting } = state
  if ('report' in message) {
    options.onError(new Error(message.report))
  } else if ('rows' in message) {
    const { rows, day, refs } = message
    options.rowsOf(day, refs).then(
      (found) => send(worker, { rows, found }),
      (error: Error) => {
        options.onError(error)
        send(worker, { rows, found: null })
      },
    )
  } else {
    const caller = waiting.get(message.call)
    waiting.delete(message.call)
    if (waiting.size === 0) worker.unref()
    if ('error' in message) caller?.reject(new Error(message.error))
    else caller?.resolve(message.result)
  }
}

/** Rejects what waits for a thread that ended. The next call starts a new one. */
function fail(state: State, worker: Worker, error: unknown): void {
  if (state.worker !== worker) return
  state.worker = null
  const reason = error instanceof Error ? error : new Error(String(error))
  state.options.onError(reason)
  for (const { reject } of state.waiting.values()) reject(reason)
  state.waiting.clear()
}
