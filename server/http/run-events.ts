import type { Piece } from '../calls/answer.ts'
import { CallFailed } from '../calls/call.ts'
import { problemOf } from '../calls/failed.ts'
import type { Context } from '../lib/context.ts'
import { eventsOf } from './events.ts'
import type { EventReply } from './route.ts'

/** What one call that streams is given to tell how it goes. */
export type Telling = {
  readonly onEvent: (piece: Piece) => void
  /** Until it is called the reply may still be a plain problem; from then on a failure is an `error` event. */
  readonly onBegun: () => void
}

/** The events of one call: `delta` and `tool_call` as they come, then `done` or `error`. */
export function runEvents(
  ctx: Context,
  instance: string,
  work: (telling: Telling) => Promise<unknown>,
): Promise<EventReply> {
  return eventsOf(ctx, instance, async ({ tell, onBegun }) => {
    const onEvent = (piece: Piece) =>
      piece.type === 'delta' ? tell('delta', { text: piece.text }) : tell('tool_call', piece.call)
    try {
      return await work({ onEvent, onBegun })
    } catch (error) {
      throw error instanceof CallFailed ? problemOf(error) : error
    }
  })
}
