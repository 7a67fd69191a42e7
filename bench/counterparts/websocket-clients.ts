/**
 * Opens WebSockets and reports when frames arrive, on the clock that all processes share. Commands by IPC:
 * `open` opens connections, `expect` starts to wait for frames on each of them, `collect` returns the
 * times when each was received, `sequences` what each connection has received since, `close` closes all.
 */
import { once } from 'node:events'
import { WebSocket } from 'ws'

type Command = { readonly id: number } & (
  | { readonly command: 'open'; readonly url: string; readonly token: string; readonly count: number }
  | { readonly command: 'expect'; readonly text: string; readonly frames?: number }
  | { readonly command: 'collect' | 'sequences' | 'close' }
)

/** Number of connections that are opened at the same time. The queue of the listening socket must not overflow. */
const concurrency = 200
const now = () => performance.timeOrigin + performance.now()

/** As `Promise.withResolvers`, which Node has only from version 22. */
function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

let sockets: WebSocket[] = []
let expected = { text: '', frames: 1, times: [] as number[] }
let received = new Map<WebSocket, string[]>()
let complete = deferred()

function receive(socket: WebSocket, data: string): void {
  if (expected.text === '' || !data.includes(expected.text)) return
  expected.times.push(now())
  received.get(socket)?.push(data)
  if (expected.times.length === sockets.length * expected.frames) complete.resolve()
}

/** The frames that connections received, and the number of connections that received exactly these. */
export type Sequence = { readonly frames: readonly string[]; readonly sockets: number }

/** Returns the different sequences of frames. It is one if all connections received the same. */
function sequences(): Sequence[] {
  const found = new Map<string, Sequence>()
  for (const frames of received.values()) {
    const key = frames.join('\n')
    found.set(key, { frames, sockets: (found.get(key)?.sockets ?? 0) + 1 })
  }
  return [...found.values()]
}

async function openOne(url: string, token: string): Promise<void> {
  const socket = new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  })
  socket.on('message', (data) => receive(socket, String(data)))
  await once(socket, 'open')
  sockets.push(socket)
}

/** Opens connections and returns the milliseconds until all are open. */
async function open(url: string, token: string, count: number): Promise<number> {
  const startedAt = now()
  let left = count
  const worker = async () => {
    while (left > 0) {
      left -= 1
      await openOne(url, token)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, count) }, worker))
  return now() - startedAt
}

async function close(): Promise<null> {
  await Promise.all(
    sockets.map(async (socket) => {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    }),
  )
  sockets = []
  return null
}

async function handle(command: Command): Promise<unknown> {
  if (command.command === 'open') return open(command.url, command.token, command.count)
  if (command.command === 'close') return close()
  if (command.command === 'sequences') return sequences()
  if (command.command === 'expect') {
    expected = { text: command.text, frames: command.frames ?? 1, times: [] }
    received = new Map(sockets.map((socket) => [socket, []]))
    complete = deferred()
    return null
  }
  await complete.promise
  return expected.times
}

const isCommand = (message: unknown): message is Command =>
  typeof message === 'object' && message !== null && 'command' in message

process.on('message', (message) => {
  if (!isCommand(message)) return
  void handle(message).then((value) => process.send?.({ id: message.id, value }))
})
// The probe lets a process end that has nothing else to do; this one waits for commands.
process.channel?.ref()
process.stdout.write('ready\n')
