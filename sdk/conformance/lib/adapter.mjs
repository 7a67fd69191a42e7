import { EventEmitter, once } from 'node:events'

/** JSON text to send unchanged: JavaScript would write 1.0 as 1. */
const rawValue = /\{"\$raw":"([^"\\]+)"\}/g

/** An error that an adapter replied with. */
export class AdapterError extends Error {
  constructor({ code, message }) {
    super(message)
    this.code = code
  }
}

/**
 * Exchanges lines with one adapter over any transport. Emits `event {event, client, data}`. The
 * launcher provides `send(line)`, `stop()` and, for a process, `end()`, and calls `receive(line)` and `ended(reason)`.
 */
export class Adapter extends EventEmitter {
  #next = 1
  #open = new Map()
  log = ''
  endReason = null

  constructor({ send, stop, end = null, origin = null, pid = null }) {
    super()
    this.setMaxListeners(0)
    this.send = send
    this.stop = stop
    this.end = end
    this.origin = origin
    this.pid = pid
  }

  request(op, members = {}) {
    if (this.endReason !== null) return Promise.reject(new Error(this.endReason))
    const id = this.#next
    this.#next += 1
    return new Promise((resolve, reject) => {
      this.#open.set(id, { resolve, reject })
      this.send(JSON.stringify({ id, op, ...members }).replace(rawValue, '$1'))
    })
  }

  receive(line) {
    const message = JSON.parse(line)
    if (message.event !== undefined) {
      this.emit('event', message)
      return
    }
    const waiting = this.#open.get(message.id)
    this.#open.delete(message.id)
    if (waiting === undefined) throw new Error(`The adapter replied to an unknown request: ${line}`)
    if (message.error) waiting.reject(new AdapterError(message.error))
    else waiting.resolve(message.ok)
  }

  ended(reason) {
    if (this.endReason !== null) return
    this.endReason = reason
    for (const { reject } of this.#open.values()) reject(new Error(reason))
    this.#open.clear()
  }
}

/** Yields the lines of a stream. The readline of Node 24 also splits at U+2028. */
export async function* linesOf(stream) {
  let rest = ''
  for await (const text of stream.setEncoding('utf8')) {
    const lines = (rest + text).split('\n')
    rest = lines.pop()
    yield* lines
  }
}

/** Returns the adapter for a process that uses its standard streams. */
export function processAdapter(child) {
  const exited = once(child, 'exit')
  const adapter = new Adapter({
    pid: child.pid,
    send: (line) => child.stdin.write(`${line}\n`),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000)
      child.stdin.end(`${JSON.stringify({ id: 0, op: 'exit' })}\n`)
      await exited
      clearTimeout(timer)
    },
    async end() {
      child.stdin.end()
      return (await exited)[0]
    },
  })
  child.stdin.on('error', () => adapter.ended('The adapter reads no more lines'))
  child.on('error', (error) => adapter.ended(`The adapter could not be started: ${error.message}`))
  child.on('exit', (code, signal) =>
    adapter.ended(`The adapter ended (${signal ?? code})\n${adapter.log.slice(-2000)}`),
  )
  child.stderr.setEncoding('utf8').on('data', (text) => {
    adapter.log += text
  })
  void receiveLines(adapter, child.stdout)
  return adapter
}

async function receiveLines(adapter, stream) {
  for await (const line of linesOf(stream)) {
    try {
      adapter.receive(line)
    } catch (error) {
      adapter.ended(`The adapter wrote an invalid reply: ${line.slice(0, 500)} (${error.message})`)
    }
  }
}
