// @ts-check
/**
 * A thread that runs workers of the service one after the other, each with new module state. Starting a
 * thread takes 30 ms of CPU, and a run of the harness needs six.
 */
import { createRequire } from 'node:module'
import threads from 'node:worker_threads'

/** @typedef {{ name: string, data: unknown, port: import('node:worker_threads').MessagePort }} Task */

const { sources, preloadModule } = threads.workerData
const require = createRequire(import.meta.url)
await import(preloadModule)

/** @type {Map<string, (require: (id: string) => unknown) => Promise<void>>} */
const bodies = new Map()
for (const [name, source] of sources) bodies.set(name, new Function(`return ${source}`)())

threads.parentPort?.on('message', async (/** @type {Task} */ { name, data, port }) => {
  const substitutes = {
    ...threads,
    workerData: data,
    parentPort: { postMessage: (/** @type {unknown} */ message) => port.postMessage({ message }) },
  }
  try {
    await bodies.get(name)?.((id) => (id === 'node:worker_threads' ? substitutes : require(id)))
    port.postMessage({ isDone: true })
  } catch (error) {
    port.postMessage({ isDone: true, error })
  }
  port.close()
})
