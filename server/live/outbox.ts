import type { WebSocket } from 'ws'
import type { ServerFrame } from '../../contract/live.ts'
import type { NumberedFrame } from '../history/bus.ts'
import { replayDepth } from '../history/events.store.ts'
import type { Addressed } from './audience.ts'
import { collapse } from './collapse.ts'

/**
 * Number of frames to send before waiting until the socket has written them. It is far below the buffer
 * limit.
 */
const pacedFrames = 100

/** The frames a client missed while disconnected, or `resync` if they are no longer stored. */
export type Missed =
  | { readonly kind: 'frames'; readonly frames: readonly Addressed[] }
  | { readonly kind: 'resync'; readonly seq: number }

/** The outgoing frames of one client. */
export type Outbox = {
  /**
   * Sends a frame if the client is in its audience. `text` is the frame as JSON, serialized once for all
   * clients.
   */
  offer(addressed: Addressed, text: string): void
  /** Sends a frame before all queued ones: the hello, a pong. */
  sendNow(frame: ServerFrame): void
  /**
   * Sets the client's position: `since`, or the newest number if it is null. Returns the number for the
   * hello. Call it once, before the hello.
   */
  begin(since: number | null): number
  /** Sends the missed frames, then those queued meanwhile. Later frames are sent at once. */
  release(missed: Missed | null): Promise<void>
  /**
   * Handles a later hello. All frames after `position` follow anyway. Older frames, or frames of an audience
   * that the client has just joined (`hasMoved`), can no longer be sent in order: the client gets a resync.
   */
  again(since: number | null, hasMoved: boolean): void
  /** The client has, or does not need, all frames up to this number. */
  readonly position: number
}

export type OutboxDeps = {
  readonly socket: Pick<WebSocket, 'send' | 'bufferedAmount' | 'readyState' | 'OPEN'>
  readonly maxBufferedBytes: number
  /** Returns true if this client should receive the frame. */
  readonly hears: (addressed: Addressed) => boolean
  /** Returns true if this client cannot handle the frame. */
  readonly isWithheld: (frame: NumberedFrame) => boolean
  /** Returns the newest number announced. */
  readonly currentSeq: () => number
  readonly onTooSlow: () => void
}

/**
 * Creates the outbox of one client. It sends each frame once and bounds the memory for unsent ones.
 * Invariant: after the hello `position` never decreases, and every number is sent as the current `position`,
 * so numbers never decrease.
 */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { socket, maxBufferedBytes, hears, isWithheld, currentSeq, onTooSlow } = deps
  let position = currentSeq()
  /** Frames queued until the release is complete; null once frames are sent at once. */
  let held: Addressed[] | null = []
  /** True if a resync replaces the queued frames. */
  let isResyncDue = false
  /** True if the client sent a number from before a restore, which is higher than the newest one. */
  let isAhead = false

  const send = (text: string, then?: () => void): void => {
    const isOpen = socket.readyState === socket.OPEN
    if (isOpen && socket.bufferedAmount + text.length <= maxBufferedBytes) {
      socket.send(text, then)
      return
    }
    if (isOpen) onTooSlow()
    then?.()
  }

  const deliver = (addressed: Addressed, text: string | null, then?: () => void): void => {
    const { frame, isPassing = false } = addressed
    const isDue = isPassing || frame.seq > position
    if (!isDue || !hears(addressed) || isWithheld(frame)) {
      then?.()
      return
    }
    // A frame that is not stored has no number of its own. It must neither decrease the number nor skip later
    // frames.
    if (!isPassing) position = frame.seq
    const isAsGiven = text !== null && frame.seq === position
    send(isAsGiven ? text : JSON.stringify({ ...frame, seq: position }), then)
  }

  /** Sends frames only as fast as the client reads them. */
  const pace = async (frames: readonly Addressed[]) => {
    for (const [index, addressed] of frames.entries()) {
      if ((index + 1) % pacedFrames !== 0) deliver(addressed, null)
      else await new Promise<void>((resolve) => deliver(addressed, null, resolve))
    }
  }

  const resync = (seq: number) => {
    position = Math.max(position, seq)
    send(JSON.stringify({ type: 'resync', seq: position } satisfies ServerFrame))
  }

  return {
    offer(addressed, text) {
      if (held === null) deliver(addressed, text)
      else if (held.length < replayDepth) held.push(addressed)
      // The client reads too slowly for the queue. A resync tells it that frames are missing.
      else isResyncDue = true
    },
    sendNow: (frame) => send(JSON.stringify(frame)),
    begin(since) {
      isAhead = since !== null && since > currentSeq()
      if (since !== null) position = Math.min(since, currentSeq())
      return position
    },
    async release(missed) {
      if (missed?.kind === 'resync') resync(missed.seq)
      else if (isAhead) resync(currentSeq())
      else if (missed !== null) await pace(collapse(missed.frames))
      while (held !== null) {
        const batch: readonly Addressed[] = held
        const isSkipped = isResyncDue
        held = []
        isResyncDue = false
        if (isSkipped) resync(currentSeq())
        else await pace(collapse(batch))
        if (held.length === 0 && !isResyncDue) held = null
      }
    },
    again(since, hasMoved) {
      if (since === null) return
      const isCovered = since >= position && since <= currentSeq() && !hasMoved
      if (isCovered) return
      if (held === null) resync(currentSeq())
      else isResyncDue = true
    },
    get position() {
      return position
    },
  }
}
