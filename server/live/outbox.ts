import type { WebSocket } from 'ws'
import type { ServerFrame } from '../../contract/live.ts'
import { replayDepth } from '../history/events.store.ts'
import { type Addressed, type Ear, hears } from './audience.ts'
import { collapse } from './collapse.ts'

/** Frames written before the peer's socket is asked to have taken them; far below what it may buffer. */
const pacedFrames = 100

/** What a client missed while it was away, if that is still known. */
export type Missed =
  | { readonly kind: 'frames'; readonly frames: readonly Addressed[] }
  | { readonly kind: 'resync'; readonly seq: number }

export type Outbox = {
  /** A frame for whoever hears it. `text` is the frame as JSON, made once for everybody. */
  offer(addressed: Addressed, text: string): void
  /** Past everything that waits: the hello. */
  sendNow(frame: ServerFrame): void
  /** From now on what is offered waits; so it is at first. */
  hold(): void
  /**
   * Sends what was missed, then what waited meanwhile; from then on frames go straight through. With `since` the client
   * has everything up to there, else everything up to when the outbox was made.
   */
  release(since: number | null, missed: Missed | null): Promise<void>
  /** Says that only fetching everything helps. */
  resync(): void
  /** The client has, or needs, nothing up to this number. */
  readonly position: number
  /** Whether any frame but the hello has gone out: older ones can then no longer come before it. */
  readonly hasDelivered: boolean
}

export type OutboxDeps = {
  readonly socket: Pick<WebSocket, 'send' | 'bufferedAmount' | 'readyState' | 'OPEN'>
  readonly maxBufferedBytes: number
  readonly ear: () => Ear
  /** The newest number announced. */
  readonly currentSeq: () => number
  readonly onTooSlow: () => void
}

/** The frames of one client: in order, each once, never more in memory than the bound. */
export function createOutbox(deps: OutboxDeps): Outbox {
  const { socket, maxBufferedBytes, ear, currentSeq, onTooSlow } = deps
  let position = currentSeq()
  /** Null while frames go straight through. */
  let held: Addressed[] | null = []
  let hasOverflowed = false
  let hasDelivered = false

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
    const { frame, isPassing } = addressed
    const isDue = hears(ear(), addressed) && (isPassing === true || frame.seq > position)
    if (!isDue) {
      then?.()
      return
    }
    position = Math.max(position, frame.seq)
    hasDelivered = true
    send(text ?? JSON.stringify(frame), then)
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
    hasDelivered = true
    send(JSON.stringify({ type: 'resync', seq } satisfies ServerFrame))
  }

  return {
    offer(addressed, text) {
      if (held === null) deliver(addressed, text)
      else if (held.length < replayDepth) held.push(addressed)
      else hasOverflowed = true
    },
    sendNow: (frame) => send(JSON.stringify(frame)),
    hold() {
      held ??= []
    },
    resync: () => resync(currentSeq()),
    get position() {
      return position
    },
    get hasDelivered() {
      return hasDelivered
    },
    async release(since, missed) {
      if (missed?.kind === 'resync') resync(missed.seq)
      if (missed?.kind === 'frames') {
        // Not for a resync: a number from before a restore may be far ahead of ours.
        if (since !== null) position = since
        await pace(collapse(missed.frames))
      }
      while (held !== null) {
        const batch: readonly Addressed[] = held
        held = []
        if (hasOverflowed) {
          // Too much came while the peer took its time: nothing is lost silently by saying so.
          hasOverflowed = false
          resync(currentSeq())
        } else await pace(collapse(batch))
        if (held.length === 0 && !hasOverflowed) held = null
      }
    },
  }
}
