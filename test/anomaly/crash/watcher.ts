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
   * Returns the number of frames, of frames whose `seq` was smaller than the previous one of the socket, and
   * of resyncs.
   */
  counts(): { readonly frames: number; readonly reversed: number; readonly resyncs: number }
  close(): void
}

type State = {
  /** Expected frames that have not arrived, and those that have, as `<prompt id> <version>`. */
  readonly missing: Set<string>
  readonly seen: Set<string>
  /** `seq` of the last frame; the next connection resumes from it. */
  since: number | null
  frames: number
  reversed: number
  resyncs: number
  socket: WebSocket | null
  wake: () => void
}

export function createWatcher(): Watcher {
  const state: State = {
    missing: new Set(),
    seen: new Set(),
    since: null,
    frames: 0,
    reversed: 0,
    resyncs: 0,
    socket: null,
    wake: () => undefined,
  }
  const { missing, seen } = state
  return {
    connect: (url) => connect(state, url),
    expect(promptId, version) {
      const name = `${promptId} ${version}`
      if (!seen.has(name)) missing.add(name)
    },
    complete: () => untilComplete(state),
    reset() {
      missing.clear()
      seen.clear()
    },
    counts: () => ({ frames: state.frames, reversed: state.reversed, resyncs: state.resyncs }),
    close: () => state.socket?.close(),
  }
}

async function connect(state: State, url: string): Promise<void> {
  const next = new WebSocket(`${url.replace('http', 'ws')}/ws`)
  const last = { seq: 0 }
  next.on('message', (data) => receive(state, String(data), last))
  next.on('error', () => state.wake())
  next.on('close', () => state.wake())
  await once(next, 'open')
  const { since } = state
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
  state.socket = next
}

/** Counts a frame. `last` is the previous one of the connection. */
function receive(state: State, text: string, last: { seq: number }): void {
  const frame = JSON.parse(text)
  if (typeof frame.seq !== 'number') return
  state.frames += 1
  if (frame.type === 'hello') {
    // A replay follows the hello, so only received frames advance the position. On the first connection there
    // is no replay.
    state.since ??= frame.seq
    return
  }
  if (frame.seq < last.seq) state.reversed += 1
  last.seq = frame.seq
  if (frame.type === 'resync') {
    // The service reports missing frames: fetching all data replaces them.
    state.resyncs += 1
    state.missing.clear()
  }
  state.since = frame.seq
  if (frame.version !== undefined) {
    const name = `${frame.id} ${frame.version}`
    state.seen.add(name)
    state.missing.delete(name)
  }
  state.wake()
}

async function untilComplete(state: State): Promise<void> {
  const { missing } = state
  while (missing.size > 0) {
    if (state.socket?.readyState !== WebSocket.OPEN)
      throw new Error(`the connection ended, and these frames had not arrived: ${[...missing].join(', ')}`)
    await new Promise<void>((resolve) => {
      state.wake = resolve
    })
  }
}
