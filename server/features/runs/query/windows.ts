import { createYield } from '../../../lib/async/yield.ts'
import { hourMs } from '../../../lib/durations.ts'

/** Epoch milliseconds; `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number }
export type Direction = 'asc' | 'desc'

/** Milliseconds that the statement of one window should take. */
const targetMs = 4
/** Limits the change of the width between two windows, because the density of runs varies. */
const mostChange = 4

/**
 * Divides a span into windows, in order, each for one statement. The time until the next window is requested
 * counts as the time of the statement, and the next width is chosen from it, so that no statement blocks the
 * event loop for long, whatever it examines. The shortest window is a millisecond.
 */
export async function* windowsOf(span: Span, direction: Direction): AsyncGenerator<Span> {
  const yieldIfDue = createYield()
  let { from, to } = span
  let width = hourMs
  while (from < to) {
    const window =
      direction === 'desc'
        ? { from: Math.max(from, to - width), to }
        : { from, to: Math.min(to, from + width) }
    const begun = performance.now()
    yield window
    const took = Math.max(performance.now() - begun, 0.001)
    const change = Math.min(mostChange, Math.max(1 / mostChange, targetMs / took))
    width = Math.max(1, Math.round(width * change))
    if (direction === 'desc') to = window.from
    else from = window.to
    await yieldIfDue()
  }
}
