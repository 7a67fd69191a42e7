import type { ServerResponse } from 'node:http'
import type { ProviderReply } from '../reply/provider-reply.ts'
import type { ReplyReader } from '../reply/reply-reader.ts'

type Copy = {
  readonly from: ProviderReply
  readonly to: ServerResponse
  readonly reader: ReplyReader
  readonly signal: AbortSignal
  readonly onChunk: () => void
  /** Receives a function to call when the reader has caught up. */
  readonly onResume: (resume: () => void) => void
}

/**
 * Copies the body of a reply as it arrives, as fast as the caller reads and the copy for the run log is parsed.
 * Resolves at its end. Rejects if the provider's connection is lost, or with the reason of the signal. The caller's
 * connection is then closed: this is the only sign of an incomplete reply.
 */
export function copyReply({ from, to, reader, signal, onChunk, onResume }: Copy): Promise<void> {
  return new Promise((resolve, reject) => {
    let waitsForReader = false
    let isFirst = true
    const isBlocked = () => waitsForReader || to.writableNeedDrain
    const resume = () => {
      if (!isBlocked()) from.resume()
    }
    onResume(() => {
      waitsForReader = false
      resume()
    })
    const stop = (error: unknown) => {
      release()
      from.destroy()
      to.destroy()
      reject(error)
    }
    const onAbort = () => stop(signal.reason)
    const onData = (chunk: Buffer) => {
      onChunk()
      write(to, chunk, isFirst)
      isFirst = false
      waitsForReader = reader.write(chunk)
      if (isBlocked()) from.pause()
    }
    const onEnd = () => {
      release()
      to.end()
      resolve()
    }
    const onError = (error: unknown) => stop(error)
    const onClose = () => stop(Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' }))
    const release = () => {
      from.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      // A destroyed stream may still report an error.
      from.on('error', () => undefined)
      to.off('drain', resume)
      signal.removeEventListener('abort', onAbort)
    }
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    to.on('drain', resume)
    from.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}

/** Its callbacks are microtasks, in half the time of `queueMicrotask`. */
const settled = Promise.resolve()

/**
 * Sends a chunk. The first one is sent with the head of the reply, before it is parsed. Later ones are sent in a microtask: if
 * the end of the reply arrived with them, its event comes before, and both go out in one packet.
 */
function write(to: ServerResponse, chunk: Buffer, isFirst: boolean): void {
  const { socket } = to
  socket?.cork()
  to.write(chunk)
  if (isFirst) socket?.uncork()
  else void settled.then(() => socket?.uncork())
}
