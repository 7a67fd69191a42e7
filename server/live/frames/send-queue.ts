import type { WebSocket } from 'ws'
import type { ServerFrame } from '../../../contract/live/frames.ts'
import type { NumberedFrame } from '../../history/events/bus.ts'
import { replayDepth } from '../../history/events/events.store.ts'
import type { AddressedFrame } from './audience.ts'
import { coalesce } from './coalesce.ts'

/**
 * Number of frames to send before waiting until the socket has written them. It is far below the buffer
 * limit.
 */
const framesPerWrite = 100

/** The frames a client missed while disconnected, or `resync` if they are no longer stored. */
export type MissedFrames =
  | { readonly kind: 'frames'; readonly frames: readonly AddressedFrame[] }
  | { readonly kind: 'resync'; readonly seq: number }

/** The outgoing frames of one client. */
export type SendQueue = {
  /**
   * Sends a frame if the client is in its audience. `text` is the frame as JSON, serialized once for all
   * clients.
   */
  push(addressed: AddressedFrame, text: string): void
  /** Sends a frame before all queued ones: the hello, a pong. */
  sendNow(frame: ServerFrame): void
  /**
   * Sets the client's position: `since`, or the newest number if it is null. Returns the number for the
   * hello. Call it once, before the hello.
   */
  startFrom(since: number | null): number
  /** Sends the missed frames, then those queued meanwhile. Later frames are sent immediately. */
  release(missed: MissedFrames | null): Promise<void>
  /**
   * Handles a later hello. All frames after `position` follow anyway. Older frames, or frames of an audience
   * that the client has just joined (`hasMoved`), can no longer be sent in order: the client gets a resync.
   */
  restartFrom(since: number | null, hasMoved: boolean): void
  /**
   * Queues frames until the returned function is called. Does nothing if they are queued already, before the hello.
   */
  hold(): () => Promise<void>
  /** Makes the client fetch everything again. */
  resync(): void
  /** The client has, or does not need, all frames up to this number. */
  readonly position: number
}

export type SendQueueDeps = {
  readonly socket: Pick<WebSocket, 'send' | 'bufferedAmount' | 'readyState' | 'OPEN'>
  readonly maxBufferedBytes: number
  /** Returns true if this client should receive the frame. */
  readonly isInAudience: (addressed: AddressedFrame) => boolean
  /** Returns true if this client cannot handle the frame. */
  readonly isUnsupported: (frame: NumberedFrame) => boolean
  /** Returns the newest number announced. */
  readonly currentSeq: () => number
  readonly onTooSlow: () => void
}

type State = SendQueueDeps & {
  position: number
  /** Frames that wait until the release is complete; null once frames are sent immediately. */
  queued: AddressedFrame[] | null
  /** True if a resync replaces the queued frames. */
  isResyncDue: boolean
  /** True if the client sent a number from before a restore, which is higher than the newest one. */
  isAhead: boolean
}

/**
 * Creates the send queue of one client. It sends each frame once and bounds the memory for unsent ones.
 * Invariant: after the hello `position` never decreases, and every number is sent as the current `position`,
 * so numbers never decrease.
 */
export function createSendQueue(deps: SendQueueDeps): SendQueue {
  const state: State = {
    ...deps,
    position: deps.currentSeq(),
    queued: [],
    isResyncDue: false,
    isAhead: false,
  }
  return {
    push(addressed, text) {
      if (state.queued === null) deliver(state, addressed, text)
      else if (state.queued.length < replayDepth) state.queued.push(addressed)
      // The client reads too slowly for the queue. A resync makes it fetch what is missing.
      else state.isResyncDue = true
    },
    sendNow: (frame) => send(state, JSON.stringify(frame)),
    startFrom(since) {
      const newest = deps.currentSeq()
      state.isAhead = since !== null && since > newest
      if (since !== null) state.position = Math.min(since, newest)
      return state.position
    },
    release: (missed) => release(state, missed),
    restartFrom(since, hasMoved) {
      if (since === null) return
      const isCovered = since >= state.position && since <= deps.currentSeq() && !hasMoved
      if (isCovered) return
      if (state.queued === null) resync(state, deps.currentSeq())
      else state.isResyncDue = true
    },
    hold() {
      if (state.queued !== null) return () => Promise.resolve()
      state.queued = []
      return () => release(state, null)
    },
    resync() {
      if (state.queued === null) resync(state, deps.currentSeq())
      else state.isResyncDue = true
    },
    get position() {
      return state.position
    },
  }
}

function send({ socket, maxBufferedBytes, onTooSlow }: State, text: string, onWritten?: () => void): void {
  const isOpen = socket.readyState === socket.OPEN
  if (isOpen && socket.bufferedAmount + text.length <= maxBufferedBytes) {
    socket.send(text, onWritten)
    return
  }
  if (isOpen) onTooSlow()
  onWritten?.()
}

function deliver(state: State, addressed: AddressedFrame, text: string | null, onWritten?: () => void): void {
  const { frame, isTransient = false } = addressed
  const isDue = isTransient || frame.seq > state.position
  if (!isDue || !state.isInAudience(addressed) || state.isUnsupported(frame)) {
    onWritten?.()
    return
  }
  // A frame that is not stored has no number of its own. It must neither decrease the number nor skip later
  // frames.
  if (!isTransient) state.position = frame.seq
  const isUnchanged = text !== null && frame.seq === state.position
  send(state, isUnchanged ? text : JSON.stringify({ ...frame, seq: state.position }), onWritten)
}

/** Sends frames only as fast as the client reads them. */
async function deliverPaced(state: State, frames: readonly AddressedFrame[]): Promise<void> {
  for (const [index, addressed] of frames.entries()) {
    if ((index + 1) % framesPerWrite !== 0) deliver(state, addressed, null)
    else await new Promise<void>((resolve) => deliver(state, addressed, null, resolve))
  }
}

function resync(state: State, seq: number): void {
  state.position = Math.max(state.position, seq)
  send(state, JSON.stringify({ type: 'resync', seq: state.position } satisfies ServerFrame))
}

async function release(state: State, missed: MissedFrames | null): Promise<void> {
  if (missed?.kind === 'resync') resync(state, missed.seq)
  else if (state.isAhead) resync(state, state.currentSeq())
  else if (missed !== null) await deliverPaced(state, coalesce(missed.frames))
  while (state.queued !== null) {
    const batch: readonly AddressedFrame[] = state.queued
    const isSkipped = state.isResyncDue
    state.queued = []
    state.isResyncDue = false
    if (isSkipped) resync(state, state.currentSeq())
    else await deliverPaced(state, coalesce(batch))
    if (state.queued.length === 0 && !state.isResyncDue) state.queued = null
  }
}
