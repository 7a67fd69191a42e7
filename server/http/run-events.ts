import { CallFailed } from '../calls/request/call.ts'
import { problemOf } from '../calls/request/problem.ts'
import type { ResponseEvent } from '../calls/result/response.ts'
import type { Context } from '../lib/context.ts'
import { eventsOf } from './events.ts'
import type { EventReply } from './route.ts'

/** Callbacks with which a streaming call reports its progress. */
export type CallProgress = {
  readonly onEvent: (piece: ResponseEvent) => void
  /** Starts the reply. An earlier error becomes a problem reply, a later one an `error` event. */
  readonly onBegun: () => void
}

/** Returns the events of one call: `delta` and `tool_call` as they occur, then `done` or `error`. */
export function runEvents(
  ctx: Context,
  instance: string,
  work: (progress: CallProgress) => Promise<unknown>,
): Promise<EventReply> {
  return eventsOf(ctx, instance, async ({ emit, onBegun }) => {
    const onEvent = (piece: ResponseEvent) =>
      piece.type === 'delta' ? emit('delta', { text: piece.text }) : emit('tool_call', piece.call)
    try {
      return await work({ onEvent, onBegun })
    } catch (error) {
      throw error instanceof CallFailed ? problemOf(error) : error
    }
  })
}
