import { hourMs } from '../../../lib/durations.ts'

/** Epoch milliseconds; `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number }
export type Direction = 'asc' | 'desc'

/**
 * The windows of a span, in order, each for one statement. The width follows the duration of the statements,
 * so that none blocks the event loop for long, even if few runs match. The minimum width is one millisecond.
 */
export type Windows = {
  /** Returns the next window; null after the last. */
  next(): Span | null
  /** Adjusts the width to the duration of the last statement in milliseconds. */
  adjust(tookMs: number): void
}

/** Milliseconds that a statement should take. */
const targetMs = 4
/** Maximum factor by which the width changes between two windows, because the density of runs varies. */
const maxWidthFactor = 4
/** Avoids a division by zero. */
const minTookMs = 0.001

export function createWindows(span: Span, direction: Direction): Windows {
  let { from, to } = span
  let width = hourMs
  return {
    next() {
      if (from >= to) return null
      if (direction === 'desc') {
        const window = { from: Math.max(from, to - width), to }
        to = window.from
        return window
      }
      const window = { from, to: Math.min(to, from + width) }
      from = window.to
      return window
    },
    adjust(tookMs) {
      const change = targetMs / Math.max(tookMs, minTookMs)
      width = Math.max(1, Math.round(width * Math.min(maxWidthFactor, Math.max(1 / maxWidthFactor, change))))
    },
  }
}
