import { hourMs } from '../../../lib/durations.ts'

/** Epoch milliseconds; `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number }
export type Direction = 'asc' | 'desc'

/**
 * The windows of a span, in order, each for one statement. The width follows the duration of the statements,
 * so that none blocks the event loop for long, even if few runs match. If much narrower windows take
 * as long, because each statement has a constant cost or the machine is busy, windows become wider again. Otherwise a span
 * could need millions of statements.
 */
export type Windows = {
  /** Returns the next window; null after the last. */
  next(): Span | null
  /** Adjusts the width to the duration of the last statement in milliseconds. */
  adjust(tookMs: number): void
}

/** Milliseconds that a statement should take, unless much narrower windows take as long. */
const minTargetMs = 4
/** Factor by which windows become narrower before the durations are compared. */
const comparedFactor = 16
/** Factor by which a raised target falls after each statement that takes less. */
const targetDecay = 0.97
/** Maximum factor by which the width changes between two windows, because the density of runs varies. */
const maxWidthFactor = 4
/** Avoids a division by zero. */
const minTookMs = 0.001

export function createWindows(span: Span, direction: Direction): Windows {
  let { from, to } = span
  let width = hourMs
  let targetMs = minTargetMs
  /** The window from which narrowing began: its width, its duration, and the shortest duration since. */
  let start: { readonly width: number; readonly tookMs: number; leastMs: number } | null = null
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
      if (tookMs <= targetMs) {
        targetMs = Math.max(minTargetMs, targetMs * targetDecay)
        start = null
      } else {
        start ??= { width, tookMs, leastMs: tookMs }
        start.leastMs = Math.min(start.leastMs, tookMs)
        if (width <= start.width / comparedFactor) {
          if (start.leastMs > start.tookMs / 2) targetMs = 2 * start.leastMs
          start = null
        }
      }
      const change = targetMs / Math.max(tookMs, minTookMs)
      width = Math.max(1, Math.round(width * Math.min(maxWidthFactor, Math.max(1 / maxWidthFactor, change))))
    },
  }
}
