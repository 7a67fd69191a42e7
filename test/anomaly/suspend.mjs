// @ts-check
/**
 * Preloaded into the threads of a store: suspends them at random before and after each step of their exchange, as the system
 * does with threads on a busy machine.
 */
import { isMainThread, MessagePort } from 'node:worker_threads'
import { createRandom } from '../harness/lib/random.mjs'

/** Share of steps with a pause, and the length of the longest pause in milliseconds: more than a job takes. */
const [share, maxMs] = [0.1, 6]
/** The same pauses in each run. */
const random = createRandom(isMainThread ? 1 : 2)

function pause() {
  if (random() > share) return
  const end = performance.now() + random() * maxMs
  while (performance.now() < end);
}

/** @param {any} owner @param {string} name */
function suspendAround(owner, name) {
  const call = owner[name]
  owner[name] = function (/** @type {unknown[]} */ ...args) {
    pause()
    const result = call.apply(this, args)
    pause()
    return result
  }
}

for (const name of ['add', 'load', 'notify', 'wait']) suspendAround(Atomics, name)
suspendAround(MessagePort.prototype, 'postMessage')
