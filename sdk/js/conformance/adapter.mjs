import { createInterface } from 'node:readline'
import { createOps } from './ops.mjs'

/**
 * Timers are counted before the package is loaded: what it leaves behind must be seen, also when it keeps no process alive.
 * Only those that are set for the client count, not this adapter's.
 */
const pending = new Set()
const { setTimeout: set, clearTimeout: clear } = globalThis
globalThis.setTimeout = (work, ms, ...args) => {
  const timer = set(() => {
    pending.delete(timer)
    work(...args)
  }, ms)
  pending.add(timer)
  return timer
}
globalThis.clearTimeout = (timer) => {
  pending.delete(timer)
  clear(timer)
}

const sdk = await import('../dist/node.js')
const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)

const answer = createOps(sdk, {
  language: 'js',
  features: ['disk'],
  stats: () => ({
    timers_or_threads: pending.size,
    sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
  }),
  tell: write,
})

for await (const line of createInterface({ input: process.stdin })) {
  if (line.trim() === '') continue
  const request = JSON.parse(line)
  if (request.op === 'exit') process.exit(0)
  // Worked on side by side; `answer` does not throw.
  void answer(request).then(write)
}
process.exit(0)
