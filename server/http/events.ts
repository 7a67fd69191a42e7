import type { Context } from '../lib/context.ts'
import { problemBody, toProblem } from './problem.ts'
import type { EventReply, StreamedEvent } from './route.ts'

/** Callbacks with which streaming work reports its progress. */
export type EventSink = {
  readonly emit: (event: string, data: unknown) => void
  /** Starts the reply. An earlier error becomes a problem reply, a later one an `error` event. */
  readonly onBegun: () => void
}

/**
 * Runs `work` and returns its events as they occur: those of `emit`, then `done` with the result, or `error`
 * with problem details. Rejects if `work` fails before `onBegun`.
 */
export async function eventsOf(
  ctx: Context,
  instance: string,
  work: (sink: EventSink) => Promise<unknown>,
): Promise<EventReply> {
  let waiting: StreamedEvent[] = []
  let wake = () => {}
  let isOver = false
  const emit = (event: string, data: unknown) => {
    waiting.push({ event, data })
    wake()
  }
  const began = new Promise<void>((onBegun, reject) => {
    work({ emit, onBegun })
      .then(
        (data) => emit('done', data),
        (error: unknown) => {
          const problem = toProblem(error)
          reject(problem)
          emit('error', problemBody(problem, instance, ctx.requestId))
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
        const batch = waiting
        waiting = []
        yield batch
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
