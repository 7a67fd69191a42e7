// @ts-check
/**
 * Preloaded into the threads of a store: suspends them at random before and after each step of their exchange, as the system
 * does with threads on a busy machine.
 */
import { isMainThread, MessagePort } from 'node:worker_threads'

/** Share of steps with a pause, and the length of the longest pause in milliseconds: more than a job takes. */
const [share, maxMs] = [0.1, 6]
let state = isMainThread ? 1 : 7919

/** A linear congruential generator (Numerical Recipes, 7.1): the same pauses in each run. */
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return state / 2 ** 32
}

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
