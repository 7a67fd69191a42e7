import type { Context } from '../lib/context.ts'
import { problemBody, toProblem } from './problem.ts'
import type { EventReply, StreamedEvent } from './route.ts'

/** What work that streams is given to tell how it goes. */
export type Teller = {
  readonly tell: (event: string, data: unknown) => void
  /** Until it is called the reply may still be a plain problem; from then on a failure is an `error` event. */
  readonly onBegun: () => void
}

/**
 * Runs `work` and gives its events as they come: what it tells, then `done` with what it resolves to, or `error` with
 * problem details. Throws what it throws before it has begun.
 */
export async function eventsOf(
  ctx: Context,
  instance: string,
  work: (teller: Teller) => Promise<unknown>,
): Promise<EventReply> {
  let waiting: StreamedEvent[] = []
  let wake = () => {}
  let isOver = false
  const tell = (event: string, data: unknown) => {
    waiting.push({ event, data })
    wake()
  }
  const began = new Promise<void>((onBegun, refuse) => {
    work({ tell, onBegun })
      .then(
        (data) => tell('done', data),
        (error: unknown) => {
          const problem = toProblem(error)
          refuse(problem)
          tell('error', problemBody(problem, instance, ctx.requestId))
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
