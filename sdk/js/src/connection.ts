import { type Frame, readFrame } from './frames.ts'
import type { OpenSocket } from './platform.ts'
import type { Cancel, Timers } from './timers.ts'

/** RFC 6455: the connection ended without a close frame. */
const cutCode = 1006
/** Time for the peer to answer a close frame, in milliseconds. */
const farewellMs = 1_000

export type End = { readonly code: number; readonly reason: string; readonly hadHello: boolean }

export type ConnectionDeps = {
  readonly url: string
  readonly open: OpenSocket
  readonly timers: Timers
  /** Time limit for opening plus the hello, in milliseconds. */
  readonly helloMs: number
  /** Builds the first frame, once the socket is open. */
  readonly hello: () => object
  readonly onFrame: (frame: Frame) => void
  /** Called for data that is no known frame. */
  readonly onOddity: () => void
  /** Called once, unless `close` was called. */
  readonly onEnd: (end: End) => void
}

export type Connection = {
  send(frame: object): void
  /** Time of the last received message, as `performance.now()`. */
  readonly heardAt: number
  /** Sends a close frame; resolves when the socket is gone. No further callbacks. */
  close(): Promise<void>
}

/**
 * A socket from opening to its end: sends hello first, then pings, and ends the connection if nothing is
 * received.
 */
export function createConnection(deps: ConnectionDeps): Connection {
  const { url, open, timers, helloMs, hello, onFrame, onOddity, onEnd } = deps
  let isOver = false
  let hadOpened = false
  let hadHello = false
  let heardAt = performance.now()
  let heartbeatMs = 0
  let cancelPing: Cancel = () => undefined
  let cancelDeath: Cancel = () => undefined
  const socket = open(url)

  const quiet = (): void => {
    isOver = true
    cancelPing()
    cancelDeath()
  }
  const cut = (): void => {
    if (socket.terminate !== undefined) socket.terminate()
    else socket.close()
  }
  const end = (code: number, reason: string): void => {
    if (isOver) return
    quiet()
    onEnd({ code, reason, hadHello })
  }
  const giveUp = (reason: string): void => {
    if (isOver) return
    cut()
    end(cutCode, reason)
  }
  const send = (frame: object): void => {
    if (!isOver && hadOpened) socket.send(JSON.stringify(frame))
  }
  const ping = (): void => {
    send({ type: 'ping' })
    cancelPing = timers.after(heartbeatMs, ping)
  }
  const heard = (): void => {
    heardAt = performance.now()
    if (!hadHello) return
    cancelDeath()
    cancelDeath = timers.after(2 * heartbeatMs, () => giveUp(`Nothing was heard for ${2 * heartbeatMs} ms`))
  }

  cancelDeath = timers.after(helloMs, () => giveUp(`No hello came within ${helloMs} ms`))
  socket.addEventListener('open', () => {
    if (isOver) return
    hadOpened = true
    send(hello())
  })
  socket.addEventListener('message', ({ data }) => {
    if (isOver) return
    const frame = readFrame(data)
    if (frame?.type === 'hello' && !hadHello) {
      hadHello = true
      heartbeatMs = frame.heartbeatMs
      cancelPing = timers.after(heartbeatMs, ping)
    }
    heard()
    if (frame === null) onOddity()
    else onFrame(frame)
  })
  socket.addEventListener('close', ({ code, reason }) => end(code, reason))
  // A close event follows; without a listener, Node's `ws` would throw the error.
  socket.addEventListener('error', () => undefined)

  return {
    send,
    get heardAt() {
      return heardAt
    },
    close() {
      const wasOver = isOver
      quiet()
      if (wasOver) return Promise.resolve()
      return new Promise((resolve) => {
        const cancel = timers.after(
          farewellMs,
          () => {
            cut()
            resolve()
          },
          { keepsAlive: true },
        )
        socket.addEventListener('close', () => {
          cancel()
          resolve()
        })
        socket.close(1000)
      })
    },
  }
}
