import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type ReplyGateLimits = {
  /**
   * Maximum number of requests of one connection that are handled, or whose replies are unread, at one time.
   */
  readonly replies: number
  /** Time without progress in sending a reply after which the connection is closed, in milliseconds. */
  readonly stallMs: number
}

/** Number of waiting requests at which the connection is no longer read. */
const mostWaiting = 16
/**
 * Maximum number of waiting requests. One read of 64 KiB can contain thousands; the connection is then
 * closed.
 */
const mostPipelined = 256

type Lane = { active: number; isPaused: boolean; readonly waiting: (() => void)[] }

export type ReplyGate = (req: IncomingMessage, res: ServerResponse, handle: () => void) => void

/**
 * Starts the next request of a connection only when the client has read the replies before it. Node starts
 * all pipelined requests at once and keeps their replies in memory, however slowly they are read.
 */
export function createReplyGate({ replies, stallMs }: ReplyGateLimits): ReplyGate {
  const lanes = new WeakMap<Socket, Lane>()

  const laneOf = (socket: Socket): Lane => {
    const known = lanes.get(socket)
    if (known !== undefined) return known
    const lane: Lane = { active: 0, isPaused: false, waiting: [] }
    lanes.set(socket, lane)
    socket.once('close', () => lane.waiting.splice(0))
    return lane
  }

  const end = (socket: Socket, lane: Lane) => {
    lane.active -= 1
    lane.waiting.shift()?.()
    if (lane.isPaused && lane.waiting.length === 0) {
      lane.isPaused = false
      socket.resume()
    }
  }

  return (req, res, handle) => {
    const { socket } = req
    if (socket.destroyed || socket.writableEnded) return
    const lane = laneOf(socket)
    const start = () => {
      lane.active += 1
      res.once('close', () => end(socket, lane))
      cutWhenStalled(res, socket, stallMs)
      handle()
    }
    if (lane.active < replies) start()
    else if (lane.waiting.length >= mostPipelined) socket.destroy()
    else {
      lane.waiting.push(start)
      if (lane.waiting.length >= mostWaiting && !lane.isPaused) {
        lane.isPaused = true
        socket.pause()
      }
    }
  }
}

/**
 * Closes a connection whose client does not read. A socket's timer also expires during a slow handler or a
 * quiet stream, so only unsent data counts.
 */
function cutWhenStalled(res: ServerResponse, socket: Socket, stallMs: number): void {
  res.setTimeout(stallMs, () => {
    if (socket.writableLength > 0) socket.destroy()
    else socket.setTimeout(stallMs)
  })
}
