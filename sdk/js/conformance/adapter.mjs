import { linesOf } from '../../conformance/lib/adapter.mjs'
import { createOps } from './ops.mjs'

/** Timers set by the package, including unref'd ones, so that a closed client's leftovers can be counted. */
const pending = new Set()
const { setTimeout: set, clearTimeout: clear } = globalThis
const isOfPackage = () => /[\\/]dist[\\/]node\.js|[\\/]node_modules[\\/]ws[\\/]/.test(new Error().stack ?? '')
globalThis.setTimeout = (work, ms, ...args) => {
  const run = () => {
    pending.delete(timer)
    work(...args)
  }
  const timer = set(run, ms)
  if (isOfPackage()) pending.add(timer)
  return timer
}
globalThis.clearTimeout = (timer) => {
  pending.delete(timer)
  clear(timer)
}

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`)
const work = createOps(await import('../dist/node.js'), {
  emit: write,
  language: 'js',
  features: ['disk'],
  stats: () => ({
    timers_or_threads: pending.size,
    sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
  }),
})

/** Handles one request. Requests run concurrently. */
async function handleRequest(request) {
  try {
    write({ id: request.id, ok: (await work(request)) ?? null })
  } catch ({ code = 'Unknown', message }) {
    write({ id: request.id, error: { code, message } })
  }
}

for await (const line of linesOf(process.stdin)) {
  const request = JSON.parse(line)
  if (request.op === 'exit') process.exit(0)
  void handleRequest(request)
}
