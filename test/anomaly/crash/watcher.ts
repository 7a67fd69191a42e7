import { once } from 'node:events'
import WebSocket from 'ws'
import { serviceToken } from '../../support/service.ts'

/** An SDK client that reconnects after each kill and resumes from its last event. */
export type Watcher = {
  connect(url: string): Promise<void>
  /** Requires the frame of an acknowledged publish, `<prompt id> <version>`, now or after a reconnect. */
  expect(promptId: string, version: string): void
  /**
   * Resolves when every expected frame has arrived; rejects with the missing ones if the connection ends
   * first.
   */
  complete(): Promise<void>
  /** Clears the expectations: after a restore the history is different. */
  reset(): void
  /**
   * Returns the number of frames, of frames whose `seq` was not greater than the previous one of the socket,
   * and of resyncs.
   */
  counts(): { readonly frames: number; readonly reversed: number; readonly resyncs: number }
  close(): void
}

export function createWatcher(): Watcher {
  const missing = new Set<string>()
  const seen = new Set<string>()
  let since: number | null = null
  let [frames, reversed, resyncs] = [0, 0, 0]
  let socket: WebSocket | null = null
  let wake: () => void = () => undefined

  function receive(text: string, last: { seq: number }): void {
    const frame = JSON.parse(text)
    if (typeof frame.seq !== 'number') return
    frames += 1
    if (frame.type === 'hello') {
      // A replay follows: only received frames count. On the first connection nothing was missed.
      since ??= frame.seq
      return
    }
    if (frame.seq < last.seq) reversed += 1
    last.seq = frame.seq
    if (frame.type === 'resync') {
      // The service reports missing frames: fetching all data replaces them.
      resyncs += 1
      missing.clear()
    }
    since = frame.seq
    if (frame.version !== undefined) {
      const name = `${frame.id} ${frame.version}`
      seen.add(name)
      missing.delete(name)
    }
    wake()
  }

  return {
    async connect(url) {
      const at = url.replace('http', 'ws')
      const next = new WebSocket(`${at}/ws`)
      const last = { seq: 0 }
      next.on('message', (data) => receive(String(data), last))
      next.on('error', () => wake())
      next.on('close', () => wake())
      await once(next, 'open')
      next.send(
        JSON.stringify({
          type: 'hello',
          token: serviceToken,
          client: 'node-sdk',
          app: 'crash',
          namespace: 'prod',
          ...(since !== null && { since_seq: since }),
        }),
      )
      socket = next
    },
    expect(promptId, version) {
      const name = `${promptId} ${version}`
      if (!seen.has(name)) missing.add(name)
    },
    async complete() {
      while (missing.size > 0) {
        if (socket?.readyState !== WebSocket.OPEN)
          throw new Error(
            `the connection ended, and these frames had not arrived: ${[...missing].join(', ')}`,
          )
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    reset() {
      missing.clear()
      seen.clear()
    },
    counts: () => ({ frames, reversed, resyncs }),
    close: () => socket?.close(),
  }
}
