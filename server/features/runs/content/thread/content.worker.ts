import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../../../lib/text/message-of.ts'
import { createContentIndex } from '../content-index.ts'
import type { RowsOf } from '../day/day-index.ts'
import type { CallName, Calls, FromThread, ThreadData, ToThread } from './messages.ts'

const send = (message: FromThread): void => parentPort?.postMessage(message)

/** Requests for rows that wait for their reply. */
const requests = new Map<
  number,
  { resolve: (found: Awaited<ReturnType<RowsOf>>) => void; reject: (error: Error) => void }
>()
let lastRequest = 0

const rowsOf: RowsOf = (day, refs) =>
  new Promise((resolve, reject) => {
    if (refs.length === 0) {
      resolve(new Map())
      return
    }
    lastRequest += 1
    requests.set(lastRequest, { resolve, reject })
    send({ rows: lastRequest, day, refs })
  })

const index = createContentIndex({
  ...(workerData as ThreadData),
  rowsOf,
  onError: (error) => send({ report: messageOf(error) }),
})

const calls: { readonly [N in CallName]: (...args: Calls[N]['args']) => Promise<Calls[N]['result']> } = {
  catchUp: index.catchUp,
  candidates: index.candidates,
  excerpts: index.excerpts,
  remove: async (day) => {
    await index.remove(day)
    return undefined
  },
  close: async () => {
    await index.close()
    return undefined
  },
}

async function handleCall(call: number, name: CallName, args: readonly unknown[]): Promise<void> {
  try {
    // Messages between threads are untyped. `Calls` states the arguments of each name for both sides.
    const run = calls[name] as (...args: readonly unknown[]) => Promise<unknown>
    send({ call, result: await run(...args) })
  } catch (error) {
    send({ call, error: messageOf(error) })
  }
}

parentPort?.on('message', (message: ToThread) => {
  if ('follow' in message) index.follow(message.follow)
  else if ('call' in message) void handleCall(message.call, message.name, message.args)
  else {
    const request = requests.get(message.rows)
    requests.delete(message.rows)
    if (message.found === null) request?.reject(new Error('The runs of captured texts could not be read'))
    else request?.resolve(message.found)
  }
})
