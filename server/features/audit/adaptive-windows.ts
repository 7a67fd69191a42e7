import type { Span } from './filters.read.ts'

/** Entries in the first window. Later ones have as many as take `quickMs` to `slowMs`. */
const firstWidth = 4_000
const minWidth = 250
const maxWidth = 1_000_000
const quickMs = 2
const slowMs = 6

/**
 * Divides a span into windows, from its end or its start. Each width depends on the time that the previous
 * window took, so that no single statement blocks the service, however rare the matches are. `visit` returns
 * true to continue.
 */
export async function forEachWindow(
  span: Span,
  direction: 'asc' | 'desc',
  visit: (window: Span) => Promise<boolean>,
): Promise<void> {
  let width = firstWidth
  let { from, to } = span
  while (from < to) {
    const window =
      direction === 'asc'
        ? { from, to: Math.min(to, from + width) }
        : { from: Math.max(from, to - width), to }
    const started = performance.now()
    if (!(await visit(window))) return
    const took = performance.now() - started
    if (took < quickMs) width = Math.min(maxWidth, width * 2)
    else if (took > slowMs) width = Math.max(minWidth, Math.floor((width * slowMs) / took))
    if (direction === 'asc') from = window.to
    else to = window.from
    // A statement resolves in a microtask, so yield to timers and sockets here.
    if (from < to) await new Promise(setImmediate)
  }
}
