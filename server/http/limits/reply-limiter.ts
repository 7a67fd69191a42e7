import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type ReplyLimits = {
  /**
   * Maximum number of requests of one connection that are handled, or whose replies are unread, at one time.
   */
  readonly replies: number
  /** Time without progress in sending a reply after which the connection is closed, in milliseconds. */
  readonly stallMs: number
}

/** Number of waiting requests at which the connection is no longer read. */
const maxWaiting = 16
/**
 * Maximum number of waiting requests. One read of 64 KiB can contain thousands; the connection is then
 * closed.
 */
const maxPipelined = 256

type Pending = { active: number; isPaused: boolean; readonly waiting: (() => void)[] }

export type ReplyLimiter = (req: IncomingMessage, res: ServerResponse, handle: () => void) => void

/**
 * Creates a limiter that starts the next request of a connection only when the client has read the replies before
 * it. Node starts all pipelined requests immediately and keeps their replies in memory, however slowly they are read.
 */
export function createReplyLimiter({ replies, stallMs }: ReplyLimits): ReplyLimiter {
  const pendingOf = new WeakMap<Socket, Pending>()

  const requestsOf = (socket: Socket): Pending => {
    const known = pendingOf.get(socket)
    if (known !== undefined) return known
    const pending: Pending = { active: 0, isPaused: false, waiting: [] }
    pendingOf.set(socket, pending)
    socket.once('close', () => pending.waiting.splice(0))
    return pending
  }

  const end = (socket: Socket, pending: Pending) => {
    pending.active -= 1
    pending.waiting.shift()?.()
    if (pending.isPaused && pending.waiting.length === 0) {
      pending.isPaused = false
      socket.resume()
    }
  }

  return (req, res, handle) => {
    const { socket } = req
    if (socket.destroyed || socket.writableEnded) return
    const pending = requestsOf(socket)
    const start = () => {
      pending.active += 1
      res.once('close', () => end(socket, pending))
      closeWhenStalled(res, socket, stallMs)
      handle()
    }
    if (pending.active < replies) start()
    else if (pending.waiting.length >= maxPipelined) socket.destroy()
    else {
      pending.waiting.push(start)
      if (pending.waiting.length >= maxWaiting && !pending.isPaused) {
        pending.isPaused = true
        socket.pause()
      }
    }
  }
}

/**
 * Closes a connection whose client does not read. A socket's timer also expires during a slow handler or a
 * quiet stream, so only unsent data counts.
 */
function closeWhenStalled(res: ServerResponse, socket: Socket, stallMs: number): void {
  res.setTimeout(stallMs, () => {
    if (socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(stallMs)
  })
}
