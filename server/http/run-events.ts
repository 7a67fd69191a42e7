import type { Piece } from '../calls/answer.ts'
import { CallFailed } from '../calls/call.ts'
import { problemOf } from '../calls/failed.ts'
import type { Context } from '../lib/context.ts'
import { problemBody, toProblem } from './problem.ts'
import type { EventReply, StreamedEvent } from './route.ts'

/** What work that streams is given to tell how it goes. */
export type Telling = {
  readonly onEvent: (piece: Piece) => void
  /** Until it is called the reply may still be a plain problem; from then on a failure is an `error` event. */
  readonly onBegun: () => void
}

/**
 * Runs `work` and gives its events as they come: `delta` and `tool_call`, then `done` with what it resolves to, or
 * `error` with problem details. Throws what it throws before it has begun.
 */
export async function runEvents(
  ctx: Context,
  instance: string,
  work: (telling: Telling) => Promise<unknown>,
): Promise<EventReply> {
  let waiting: StreamedEvent[] = []
  let wake = () => {}
  let isOver = false
  const tell = (event: StreamedEvent) => {
    waiting.push(event)
    wake()
  }
  const began = new Promise<void>((onBegun, refuse) => {
    const onEvent = (piece: Piece) =>
      tell(
        piece.type === 'delta'
          ? { event: 'delta', data: { text: piece.text } }
          : { event: 'tool_call', data: piece.call },
      )
    work({ onEvent, onBegun })
      .then(
        (data) => tell({ event: 'done', data }),
        (error: unknown) => {
          const problem = toProblem(error instanceof CallFailed ? problemOf(error) : error)
          refuse(problem)
          tell({ event: 'error', data: problemBody(problem, instance, ctx.requestId) })
        },
      )
      .finally(() => {
        isOver = true
        onBegun()
        wake()
      })
  })
  await began

  async function* events(): AsyncGenerator<readonly StreamedEvent[]> {
    for (;;) {
      if (waiting.length > 0) {
        const together = waiting
        waiting = []
        yield together
        continue
      }
      if (isOver) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { events: events() }
}
