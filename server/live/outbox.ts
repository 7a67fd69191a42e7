import type { WebSocket } from 'ws'
import type { ServerFrame } from '../../contract/live.ts'
import type { NumberedFrame } from '../history/bus.ts'
import { replayDepth } from '../history/events.store.ts'
import type { Addressed } from './audience.ts'
import { collapse } from './collapse.ts'

/** Frames written before the peer's socket is asked to have taken them; far below what it may buffer. */
const pacedFrames = 100

/** What a client missed while it was away, if that is still known. */
export type Missed =
  | { readonly kind: 'frames'; readonly frames: readonly Addressed[] }
  | { readonly kind: 'resync'; readonly seq: number }

export type Outbox = {
  /** Sends a frame if the client is in its audience. `text` is the frame as JSON, made once for everybody. */
  offer(addressed: Addressed, text: string): void
  /** Sends ahead of everything that waits: the hello, a pong. */
  sendNow(frame: ServerFrame): void
  /**
   * Sets where the client is: at `since`, or at the newest number when it asked for nothing older. Returns the number
   * for the hello. Called once, before the hello.
   */
  begin(since: number | null): number
  /** Sends what was missed, then what waited meanwhile; from then on frames are sent as they are offered. */
  release(missed: Missed | null): Promise<void>
  /**
   * Answers a later hello. Everything behind `position` follows anyway; whatever is older, or was announced to an
   * audience the client has only just joined (`hasMoved`), cannot be sent in order any more: it gets a resync.
   */
  again(since: number | null, hasMoved: boolean): void
  /** The client has, or needs, nothing up to this number. */
  readonly position: number
}

export type OutboxDeps = {
  readonly socket: Pick<WebSocket, 'send' | 'bufferedAmount' | 'readyState' | 'OPEN'>
  readonly maxBufferedBytes: number
  /** Returns true for a frame that this client is to receive. */
  readonly hears: (addressed: Addressed) => boolean
  /** Returns true for a frame this client cannot handle. */
  readonly isWithheld: (frame: NumberedFrame) => boolean
  /** The newest number announced. */
  readonly currentSeq: () => number
  readonly onTooSlow: () => void
}

/**
 * The frames of one client: each once, never more in memory than the bound. Invariant: from the hello on `position`
 * never decreases, and every number that is sent is `position` at that moment, so numbers never go back.
 */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { socket, maxBufferedBytes, hears, isWithheld, currentSeq, onTooSlow } = deps
  let position = currentSeq()
  /** Frames offered before the release is over; null once frames are sent as they are offered. */
  let held: Addressed[] | null = []
  /** A resync takes the place of what is held. */
  let isResyncDue = false
  /** The client named a number we have not reached: one from before a restore. */
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
    // A frame that is stored nowhere has no number of its own: it must neither go back nor skip what is still to come.
    if (!isPassing) position = frame.seq
    const isAsGiven = text !== null && frame.seq === position
    send(isAsGiven ? text : JSON.stringify({ ...frame, seq: position }), then)
  }

  /** Sends frames only as fast as the peer takes them. */
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
      // Too much came while the peer took its time: nothing is lost silently.
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
